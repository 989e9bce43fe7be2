package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/**
 * The demo as {@code ./gradlew demo} starts it, as a process of its own with all that
 * belongs to it.
 */
final class RunningDemo implements AutoCloseable {

	private static final Pattern ADDRESS = Pattern.compile("Open (http://localhost:\\d+)");

	private static final int MOST_TRIES = 3;

	private final Process process;

	private final Path output;

	private final String address;

	private final RestClient client;

	private RunningDemo(Process process, Path output) {
		this.process = process;
		this.output = output;
		this.address = eventually().until(this::findAddress, Optional::isPresent).orElseThrow();
		this.client = RestClient.create(this.address);
	}

	/**
	 * Starts the demo, and waits only for its page.
	 * @param folder where it may write
	 * @param freezeSeconds how long it freezes nodes
	 */
	static RunningDemo start(Path folder, int freezeSeconds) throws IOException {
		Path output = folder.resolve("output");
		return start(command(folder, freezeSeconds), output);
	}

	private static List<String> command(Path folder, int freezeSeconds) {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-Xmx96m", "-Ddemo.backend=" + System.getProperty("sample.demo.backend"), "-Ddemo.folder=" + folder,
				"-Ddemo.port=0", "-Ddemo.freeze-seconds=" + freezeSeconds, "-cp",
				System.getProperty("sample.demo.classpath"), Demo.class.getName());
	}

	/**
	 * Starts the demo as the child of a shell, which is killed as soon as there are
	 * nodes.
	 */
	static List<ProcessHandle> startBelowAShellThatIsKilled(Path folder) throws IOException {
		List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$@\" & wait", "sh"));
		Path output = folder.resolve("output");
		command.addAll(command(folder, 20));
		RunningDemo demo = start(command, output);
		demo.await((state) -> state.path("nodes").path(0).path("process").asLong() > 0);
		List<ProcessHandle> processes = demo.processes();
		demo.kill();
		return processes;
	}

	private static RunningDemo start(List<String> command, Path output) throws IOException {
		return new RunningDemo(
				new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
	}

	private Optional<String> findAddress() throws IOException {
		Matcher matcher = ADDRESS.matcher(Files.readString(this.output));
		if (matcher.find()) {
			return Optional.of(matcher.group(1));
		}
		if (!this.process.isAlive()) {
			throw new IllegalStateException(Files.readString(this.output));
		}
		return Optional.empty();
	}

	String address() {
		return this.address;
	}

	/** What it says of everything. */
	JsonNode state() {
		return JsonMapper.builder().build().readTree(this.client.get().uri("/state").retrieve().body(String.class));
	}

	void act(String node, String action) {
		this.client.post().uri("/nodes/{node}/{action}", node, action).retrieve().toBodilessEntity();
	}

	/**
	 * The status of the answer to a button that was pressed on the page of somebody else.
	 */
	int status(String origin) {
		return this.client.post()
			.uri("/nodes/node-2/kill")
			.header("Origin", origin)
			.exchange((request, response) -> response.getStatusCode().value());
	}

	/**
	 * Freezes who leads the invoices, until the database has refused what one did that
	 * woke up. Now and then a renewal is due just when a node wakes up, and shows it that
	 * its term is over before it writes. Then another one has its turn.
	 * @param freeze asks for a node to be frozen
	 * @return the zombie
	 */
	Zombie freezeLeaderUntilTheDatabaseRefuses(Consumer<String> freeze) {
		long refused = total(state(), "refused");
		for (int tries = 0; tries < MOST_TRIES; tries++) {
			JsonNode before = awaitWork();
			String name = leader(before, "invoices").orElseThrow();
			long epoch = role(node(before, name), "invoices").path("epoch").asLong();
			freeze.accept(name);
			await((state) -> node(state, name).path("phase").asString().equals("FROZEN")
					&& leader(state, "invoices").filter((leader) -> !leader.equals(name)).isPresent());
			JsonNode after = await((state) -> node(state, name).path("phase").asString().equals("UP")
					&& role(node(state, name), "invoices").path("state").asString().equals("FOLLOWER"));
			if (total(after, "refused") > refused) {
				return new Zombie(name, epoch);
			}
		}
		throw new AssertionError("The database refused nothing");
	}

	static long total(JsonNode state, String name) {
		return state.path("totals").path(name).asLong();
	}

	JsonNode await(Predicate<JsonNode> condition) {
		try {
			// A busy machine may refuse a connection.
			return eventually().ignoreExceptionsInstanceOf(ResourceAccessException.class).until(this::state, condition);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("The demo has printed, and what it has started: " + printed(), ex);
		}
	}

	private String printed() {
		try (Stream<Path> files = Files.walk(this.output.getParent())) {
			StringBuilder text = new StringBuilder();
			for (Path file : files.filter((file) -> file.equals(this.output) || file.toString().endsWith(".log"))
				.toList()) {
				text.append(file.getFileName()).append('\n').append(Files.readString(file)).append('\n');
			}
			return text.toString();
		}
		catch (IOException ex) {
			return "nothing that can be read: " + ex;
		}
	}

	/** Waits until all nodes work and the leaders have written. */
	JsonNode awaitWork() {
		return await((state) -> state.path("nodes").size() == 3
				&& state.path("nodes").valueStream().allMatch((node) -> node.path("answers").asBoolean())
				&& leader(state, "invoices").isPresent() && leader(state, "outbox").isPresent()
				&& state.path("totals").path("landed").asLong() > 2);
	}

	/** The node that says it leads, and is not frozen. */
	static Optional<String> leader(JsonNode state, String role) {
		return state.path("nodes")
			.valueStream()
			.filter((node) -> node.path("phase").asString().equals("UP"))
			.filter((node) -> role(node, role).path("state").asString().equals("LEADER"))
			.map((node) -> node.path("name").asString())
			.findFirst();
	}

	static JsonNode node(JsonNode state, String name) {
		return state.path("nodes")
			.valueStream()
			.filter((node) -> node.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static JsonNode role(JsonNode node, String role) {
		return node.path("status").path("roles").path(role);
	}

	/** All processes that it has started, and those that these have started. */
	List<ProcessHandle> processes() {
		return this.process.descendants().toList();
	}

	/** Sends a signal to the process of the database. */
	void signalDatabase(String signal) throws Exception {
		long database = state().path("servers").path(0).path("process").asLong();
		// The shell's own kill, as not every machine has the program.
		new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, database)).start().waitFor();
	}

	/** Ends it at once, so that it cannot end anything itself. */
	void kill() {
		this.process.destroyForcibly();
	}

	/** Asks it to end, as Ctrl-C does. */
	void end() {
		this.process.destroy();
		this.process.onExit().orTimeout(40, TimeUnit.SECONDS).join();
	}

	/**
	 * A database is installed and four JVMs start first, on machines that do much else.
	 */
	static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(8)).pollInterval(Duration.ofMillis(100));
	}

	@Override
	public void close() {
		end();
	}

	/**
	 * A node that was frozen as a leader and has noticed it since.
	 *
	 * @param name what people call it
	 * @param epoch the epoch that it led under
	 */
	record Zombie(String name, long epoch) {
	}

}
