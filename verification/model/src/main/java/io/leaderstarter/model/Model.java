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

	private static final Pattern STATES = Pattern.compile("([0-9]+) distinct states found");

	private static final Pattern VIOLATED = Pattern.compile("(?:Invariant|property) (\\w+) is violated");

	/** The mutant that is none. */
	private static final String RIGHT = "none";

	private static final List<String> INVARIANTS = List.of("NoStaleCommit", "OneLeader", "OneTermPerEpoch");

	private static final String LIVENESS = "SomebodyLeads";

	private static final String SESSION = "NotBeforeTheDeadline";

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
		Bounds twoDatabases = Bounds.of(2, 2, 0, false);
		Bounds liveness = Bounds.of(1, 3, 1, true);
		for (Bounds bounds : List.of(safety, twoDatabases, liveness)) {
			check(bounds.run(RIGHT), null);
		}
		check(safety.run("deadline from the answer"), "OneLeader");
		check(safety.run("no margin"), "OneLeader");
		check(safety.run("trust the clock of the store"), "OneLeader");
		check(safety.run("release before the work has ended"), "OneLeader");
		check(safety.run("extend after the deadline"), "OverForGood");
		check(safety.run("check without a lock"), "NoStaleCommit");
		check(safety.withFaults(0).run("raise after the term has begun"), "NoStaleCommit");
		check(twoDatabases.run("raise one fence only"), "NoStaleCommit");
		check(safety.run("raise without comparing terms"), "OneTermPerEpoch");
		check(liveness.run("keep what is held"), LIVENESS);
		check(session(RIGHT, false, "session of ZooKeeper, servers crash"), null);
		check(session("count from the last request", false, "session of ZooKeeper, servers crash"), SESSION);
		// A limit that is documented. If it is gone, the documentation is wrong.
		check(session(RIGHT, true, "session of ZooKeeper, its leader freezes"), SESSION);
	}

	private static Run session(String mutant, boolean freezes, String bounds) {
		return new Run("Session", mutant, bounds, "SPECIFICATION Spec%nCHECK_DEADLOCK FALSE%nINVARIANT %s%nCONSTANTS%n"
			.formatted(SESSION) + "  Timeout = 4%n  PingEvery = 1%n  Requests = 3%n  MaxTime = 9%n".formatted()
				+ "  Freezes = %s%n  Crashes = %s%n  Mutant = \"%s\"%n".formatted(tla(freezes), tla(!freezes), mutant));
	}

	private static String tla(boolean value) {
		return value ? "TRUE" : "FALSE";
	}

	/**
	 * Run the checker.
	 * @param run what to check
	 * @param expected the property that has to be violated, {@code null} for none
	 */
	private void check(Run run, String expected) throws IOException, InterruptedException {
		Path report = this.reports.resolve(run.name() + ".txt");
		Path config = Files.writeString(this.reports.resolve(run.name() + ".cfg"), run.config());
		Path states = Files.createTempDirectory("model");
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseParallelGC", "-cp", System.getProperty("model.tlc"), "tlc2.TLC", "-workers", "2", "-metadir",
				states.toString(), "-config", config.toString(), run.spec() + ".tla");
		Process process = new ProcessBuilder(command).directory(this.spec.toFile())
			.redirectErrorStream(true)
			.redirectOutput(report.toFile())
			.start();
		int exit = process.waitFor();
		deleteRecursively(states);
		judge(run, expected, report, exit);
	}

	private void judge(Run run, String expected, Path report, int exit) throws IOException {
		String output = Files.readString(report);
		String found = null;
		Matcher violated = VIOLATED.matcher(output);
		if (violated.find()) {
			found = violated.group(1);
		}
		else if (output.contains("Temporal properties were violated")) {
			found = LIVENESS;
		}
		String count = "";
		for (Matcher states = STATES.matcher(output); states.find();) {
			count = "%,d states".formatted(Long.parseLong(states.group(1)));
		}
		boolean ended = exit == 0 && output.contains("Model checking completed. No error has been found.");
		boolean right = (expected != null) ? expected.equals(found) : found == null && ended;
		System.out.printf("%-34s %-60s %18s  %s%n", run.mutant().equals(RIGHT) ? "as it is" : run.mutant(),
				run.bounds(), count,
				(found != null) ? "violates " + found : ended ? "nothing is wrong" : "could not be checked");
		if (!right) {
			this.failures.add("'%s' (%s) was expected to %s: see %s".formatted(run.mutant(), run.bounds(),
					(expected != null) ? "violate " + expected : "be right", report));
		}
	}

	private static void deleteRecursively(Path folder) throws IOException {
		try (var files = Files.walk(folder)) {
			files.sorted((one, other) -> other.compareTo(one)).map(Path::toFile).forEach(File::delete);
		}
	}

	/**
	 * A run of the checker.
	 *
	 * @param spec the name of the specification
	 * @param mutant the mistake in it
	 * @param bounds how large it is, for people
	 * @param config what the checker reads
	 */
	private record Run(String spec, String mutant, String bounds, String config) {

		String name() {
			return (this.bounds + " " + this.mutant).replaceAll("[^A-Za-z0-9]+", "-");
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

		Run run(String mutant) {
			Map<String, Object> constants = new TreeMap<>();
			constants.put("Members", set("m", this.members));
			constants.put("Databases", set("d", this.databases));
			constants.put("Ttl", this.ttl);
			constants.put("Margin", 1);
			constants.put("Drift", 1);
			constants.put("MaxTerms", this.terms);
			constants.put("MaxFaults", this.faults);
			constants.put("Timely", tla(this.timely));
			constants.put("Mutant", '"' + mutant + '"');
			String properties = this.timely ? "PROPERTY " + LIVENESS
					: "SYMMETRY Symmetry%nPROPERTY OverForGood".formatted();
			String config = "SPECIFICATION Spec%nCHECK_DEADLOCK FALSE%nINVARIANTS %s%n%s%nCONSTANTS%n%s%n".formatted(
					String.join(" ", INVARIANTS), properties,
					constants.entrySet()
						.stream()
						.map((constant) -> "  %s = %s".formatted(constant.getKey(), constant.getValue()))
						.collect(Collectors.joining(System.lineSeparator())));
			return new Run("Leader", mutant, toString(), config);
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
