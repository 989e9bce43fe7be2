package io.leaderstarter.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that can be stopped, continued and killed.
 */
final class LeaderProcess {

	private final Process process;

	private final Path history;

	private final Path log;

	private LeaderProcess(Process process, Path history, Path log) {
		this.process = process;
		this.history = history;
		this.log = log;
	}

	static LeaderProcess start(Path folder, String name, List<String> properties) throws IOException {
		return start(folder, name, ProcessApplication.class, properties);
	}

	static LeaderProcess start(Path folder, String name, Class<?> application, List<String> properties)
			throws IOException {
		Path history = Files.createFile(folder.resolve(name + ".history"));
		Path log = folder.resolve(name + ".log");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-Xmx128m", "-Djava.io.tmpdir=" + folder, "-Dhistory=" + history, "-cp",
						System.getProperty("java.class.path"), application.getName()));
		properties.forEach((property) -> command.add("--" + property));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		return new LeaderProcess(process, history, log);
	}

	/** What the job has done so far. */
	List<Event> events() {
		try {
			// The last line may be half written.
			String text = Files.readString(this.history);
			return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(this::event).toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	boolean hasWorked() {
		return has("begin");
	}

	boolean isUp() {
		return has("up");
	}

	boolean wasRevoked() {
		return has("revoked");
	}

	/** Whether it began to work since then, by the clock that all processes share. */
	boolean hasBegunSince(long nanos) {
		return events().stream().anyMatch((event) -> event.kind().equals("begin") && event.time() - nanos > 0);
	}

	boolean has(String kind) {
		return events().stream().anyMatch((event) -> event.kind().equals(kind));
	}

	/** How long it was paused, going by the pauses that reach into that time. */
	Duration pausedBetween(long from, long to) {
		return Duration.ofNanos(events().stream()
			.filter((event) -> event.kind().equals("paused"))
			.filter((event) -> event.time() - from > 0 && event.time() - event.epoch() - to < 0)
			.mapToLong(Event::epoch)
			.sum());
	}

	/** What it printed, for people. */
	String log() {
		try {
			return Files.exists(this.log) ? Files.readString(this.log) : "";
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void signal(String signal) throws Exception {
		Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(this.process.pid())).inheritIO().start();
		if (kill.waitFor() != 0) {
			throw new IllegalStateException("kill -" + signal + " failed");
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	void end() throws Exception {
		// Also ends a process that is stopped.
		this.process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
	}

	private Event event(String line) {
		String[] parts = line.split(" ");
		return new Event(this, parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]));
	}

	/**
	 * Something that the job did.
	 *
	 * @param process who did it
	 * @param kind what, as the application calls it
	 * @param time when, by the clock that all processes share
	 * @param epoch under which epoch; of a pause, how many nanoseconds it was
	 */
	record Event(LeaderProcess process, String kind, long time, long epoch) {
	}

}
