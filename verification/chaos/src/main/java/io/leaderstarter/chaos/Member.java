package io.leaderstarter.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.chaos.app.ChaosApplication;
import io.leaderstarter.chaos.app.Controls;
import io.leaderstarter.testsupport.FaultProxy;
import org.jspecify.annotations.Nullable;

/**
 * A member: a process at a time, and its ways to the servers. A process does not outlive
 * this one, however this one ends: its parent is a shell that waits for the pipe from
 * here to be closed, and then kills it, also if it is frozen.
 */
final class Member implements AutoCloseable {

	private static final String GUARD = """
			exec 3<&0
			"$@" < /dev/null > "$0" 2>&1 3<&- & child=$!
			echo $child
			{ read -r _; kill -KILL $child; } <&3 > /dev/null 2>&1 & guard=$!
			exec 3<&-
			wait $child
			kill $guard 2> /dev/null; wait $guard 2> /dev/null
			exit 0
			""";

	private final int number;

	private final Path folder;

	private final List<String> properties;

	private final FaultProxy database;

	private final List<FaultProxy> store;

	private final List<Event> unread = new ArrayList<>();

	private Controls controls;

	private @Nullable Process guard;

	private long id;

	private int starts;

	private long read;

	/** When it was asked to end, 0 if it was not. */
	private long askedToEnd;

	/**
	 * Starts a member.
	 * @param number which one it is
	 * @param folder where histories and logs are
	 * @param properties what its application is configured with
	 * @param database its way to the database
	 * @param store its ways to the servers of the leases
	 */
	Member(int number, Path folder, List<String> properties, FaultProxy database, List<FaultProxy> store) {
		this.number = number;
		this.folder = folder;
		this.properties = properties;
		this.database = database;
		this.store = store;
		this.controls = start();
	}

	private Controls start() {
		this.starts++;
		this.read = 0;
		this.askedToEnd = 0;
		Path controls = file("controls");
		Controls mapped = new Controls(controls);
		List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, file("log").toString(),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx160m", "-D" + ChaosApplication.HISTORY + "=" + file("history"),
				"-D" + ChaosApplication.CONTROLS + "=" + controls, "-cp", System.getProperty("java.class.path"),
				ChaosApplication.class.getName(), "--chaos.process=" + process(),
				"--chaos.seed=" + process().hashCode()));
		this.properties.forEach((property) -> command.add("--" + property));
		try {
			this.guard = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
			this.id = Long.parseLong(this.guard.inputReader().readLine());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return mapped;
	}

	int number() {
		return this.number;
	}

	/** The process that it is at present. */
	String process() {
		return this.number + "." + this.starts;
	}

	Controls controls() {
		return this.controls;
	}

	FaultProxy database() {
		return this.database;
	}

	List<FaultProxy> store() {
		return this.store;
	}

	/** How many connections it has. */
	int connections() {
		return this.database.connections() + this.store.stream().mapToInt(FaultProxy::connections).sum();
	}

	boolean isAlive() {
		return this.guard != null && this.guard.isAlive();
	}

	void freeze() {
		signal("STOP");
	}

	void goOn() {
		signal("CONT");
	}

	void kill() {
		signal("KILL");
	}

	void terminate() {
		signal("TERM");
		this.askedToEnd = System.nanoTime();
	}

	boolean isAskedToEnd() {
		return this.askedToEnd != 0;
	}

	boolean wasAskedToEndBefore(long nanos) {
		return isAskedToEnd() && this.askedToEnd - nanos < 0;
	}

	/** Starts another process. */
	void restart() {
		this.unread.addAll(read());
		this.controls = start();
	}

	/** What has happened in it since this was called last. */
	List<Event> events() {
		List<Event> events = new ArrayList<>(this.unread);
		this.unread.clear();
		events.addAll(read());
		return events;
	}

	private List<Event> read() {
		Path history = file("history");
		if (!Files.exists(history)) {
			return List.of();
		}
		try (RandomAccessFile file = new RandomAccessFile(history.toFile(), "r")) {
			file.seek(this.read);
			byte[] bytes = new byte[(int) (file.length() - this.read)];
			file.readFully(bytes);
			String text = new String(bytes, StandardCharsets.UTF_8);
			// The last line may be half written.
			int end = text.lastIndexOf('\n') + 1;
			this.read += end;
			return text.substring(0, end).lines().map((line) -> Event.of(process(), line)).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path file(String name) {
		return this.folder.resolve(process() + "." + name);
	}

	private void signal(String signal) {
		if (!isAlive()) {
			return;
		}
		try {
			// The shell's own kill, as not every machine has the program.
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, this.id)).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		kill();
		this.database.close();
		this.store.forEach(FaultProxy::close);
	}

}
