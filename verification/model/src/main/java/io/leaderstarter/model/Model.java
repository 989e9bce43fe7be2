package io.leaderstarter.model;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Checks the models with TLC: as they are, where nothing may be found, and with each
 * mistake, where the property has to be violated that the mistake breaks.
 */
public final class Model {

	private static final Pattern STATES = Pattern.compile("([0-9]+) states generated, ([0-9]+) distinct states found");

	private static final List<String> INVARIANTS = List.of("NoStaleCommit", "OneLeader", "OneTermPerEpoch");

	private static final String LIVENESS = "SomebodyLeads";

	private final Path spec = Path.of(System.getProperty("model.spec"));

	private final Path reports = Path.of(System.getProperty("model.reports"));

	private final List<String> failures = new ArrayList<>();

	private Model() {
	}

	/**
	 * Check all models.
	 * @param args not used
	 * @throws Exception if the checker cannot be run
	 */
	public static void main(String[] args) throws Exception {
		Model model = new Model();
		model.checkAll();
		model.failures.forEach(System.out::println);
		System.exit(model.failures.isEmpty() ? 0 : 1);
	}

	private void checkAll() throws IOException, InterruptedException {
		Files.createDirectories(this.reports);
		Bounds safety = Bounds.of(1, 2, 1, false);
		Bounds liveness = Bounds.of(1, 3, 1, true);
		check("none", safety, null);
		check("none", Bounds.of(2, 2, 0, false), null);
		check("none", liveness, null);
		check("deadline from the answer", safety, "OneLeader");
		check("no margin", safety, "OneLeader");
		check("trust the clock of the store", safety, "OneLeader");
		check("release before the work has ended", safety, "OneLeader");
		check("extend after the deadline", safety, "OverForGood");
		check("check without a lock", safety, "NoStaleCommit");
		check("raise after the term has begun", safety.withFaults(0), "NoStaleCommit");
		check("raise one fence only", Bounds.of(2, 2, 0, false), "NoStaleCommit");
		check("raise without comparing terms", safety, "OneTermPerEpoch");
		check("keep what is held", liveness, LIVENESS);
	}

	/**
	 * Run the checker.
	 * @param mutant the mistake, "none" for the model as it is
	 * @param bounds how large the model is
	 * @param expected the property that has to be violated, {@code null} for none
	 */
	private void check(String mutant, Bounds bounds, String expected) throws IOException, InterruptedException {
		String name = (mutant.equals("none") ? bounds.toString() : mutant).replaceAll("[^a-z0-9]+", "-");
		Path report = this.reports.resolve(name + ".txt");
		Path config = Files.writeString(this.reports.resolve(name + ".cfg"), bounds.config(mutant));
		Path states = Files.createTempDirectory("model");
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseParallelGC", "-cp", System.getProperty("model.tlc"), "tlc2.TLC", "-workers", "2", "-metadir",
				states.toString(), "-config", config.toString(), "Leader.tla");
		Process process = new ProcessBuilder(command).directory(this.spec.toFile())
			.redirectErrorStream(true)
			.redirectOutput(report.toFile())
			.start();
		int exit = process.waitFor();
		deleteRecursively(states);
		judge(mutant, bounds, expected, report, exit);
	}

	private void judge(String mutant, Bounds bounds, String expected, Path report, int exit) throws IOException {
		String output = Files.readString(report);
		String found = null;
		Matcher violated = Pattern.compile("(?:Invariant|property) (\\w+) is violated").matcher(output);
		if (violated.find()) {
			found = violated.group(1);
		}
		else if (output.contains("Temporal properties were violated")) {
			found = LIVENESS;
		}
		Matcher states = STATES.matcher(output);
		String count = "";
		while (states.find()) {
			count = "%,d states".formatted(Long.parseLong(states.group(2)));
		}
		boolean ended = output.contains("Model checking completed. No error has been found.");
		boolean right = (expected != null) ? expected.equals(found) : found == null && ended && exit == 0;
		System.out.printf("%-34s %-60s %18s  %s%n", mutant.equals("none") ? "The model" : mutant, bounds, count,
				(found != null) ? "violates " + found : ended ? "nothing is wrong" : "could not be checked");
		if (!right) {
			this.failures.add("'%s' was expected to %s: see %s".formatted(mutant,
					(expected != null) ? "violate " + expected : "be right", report));
		}
	}

	private static void deleteRecursively(Path folder) throws IOException {
		try (var files = Files.walk(folder)) {
			files.sorted((one, other) -> other.compareTo(one)).map(Path::toFile).forEach(File::delete);
		}
	}

	/**
	 * How large a model is.
	 *
	 * @param timely whether to check that somebody leads, which needs an end of what goes
	 * wrong, instead of safety
	 */
	private record Bounds(int members, int databases, int ttl, int terms, int faults, boolean timely) {

		static Bounds of(int databases, int terms, int faults, boolean timely) {
			return new Bounds(Integer.getInteger("model.members", 2), Integer.getInteger("model.databases", databases),
					Integer.getInteger("model.ttl", 2), Integer.getInteger("model.terms", terms),
					Integer.getInteger("model.faults", faults), timely);
		}

		Bounds withFaults(int faults) {
			return new Bounds(this.members, this.databases, this.ttl, this.terms, faults, this.timely);
		}

		String config(String mutant) {
			Map<String, Object> constants = new TreeMap<>();
			constants.put("Members", set("m", this.members));
			constants.put("Databases", set("d", this.databases));
			constants.put("Ttl", this.ttl);
			constants.put("Margin", 1);
			constants.put("Drift", 1);
			constants.put("MaxTerms", this.terms);
			constants.put("MaxFaults", this.faults);
			constants.put("Timely", this.timely ? "TRUE" : "FALSE");
			constants.put("Mutant", '"' + mutant + '"');
			String properties = this.timely ? "PROPERTY " + LIVENESS
					: "SYMMETRY Symmetry%nPROPERTY OverForGood".formatted();
			return "SPECIFICATION Spec%nCHECK_DEADLOCK FALSE%nINVARIANTS %s%n%s%nCONSTANTS%n%s%n".formatted(
					String.join(" ", INVARIANTS), properties,
					constants.entrySet()
						.stream()
						.map((constant) -> "  %s = %s".formatted(constant.getKey(), constant.getValue()))
						.collect(Collectors.joining(System.lineSeparator())));
		}

		private static String set(String prefix, int size) {
			return IntStream.rangeClosed(1, size)
				.mapToObj((number) -> prefix + number)
				.collect(Collectors.joining(", ", "{", "}"));
		}

		@Override
		public String toString() {
			return "%d members, %d databases, ttl %d, %d terms, %d faults%s".formatted(this.members, this.databases,
					this.ttl, this.terms, this.faults, this.timely ? ", liveness" : "");
		}

	}

}
