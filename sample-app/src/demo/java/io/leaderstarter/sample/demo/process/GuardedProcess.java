package io.leaderstarter.sample.demo.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that does not outlive this one, however this one ends. Its parent is a shell
 * that reads from a pipe. The system closes the pipe with this process, and then the
 * shell ends its child, also if that is frozen and could not notice anything itself.
 */
public final class GuardedProcess implements AutoCloseable {

	/**
	 * Asks the child to end, lets it go on if it is frozen, and waits 10 s for it. The
	 * child prints its id itself, so that this is the first that it prints.
	 */
	private static final String GUARD = """
			exec 3<&0
			sh -c 'echo $$; exec "$@"' sh "$@" < /dev/null 3<&- & child=$!
			{
				read -r _
				kill -TERM $child; kill -CONT $child
				i=0; while [ $i -lt 100 ] && kill -0 $child; do sleep 0.1; i=$((i + 1)); done
				kill -KILL $child
			} <&3 > /dev/null 2>&1 & guard=$!
			exec 3<&-
			wait $child; status=$?
			kill $guard 2> /dev/null; wait $guard 2> /dev/null
			exit $status
			""";

	private static final int PATIENCE_SECONDS = 15;

	private final Process shell;

	private final long id;

	private final Thread reader;

	private GuardedProcess(Process shell, long id, Thread reader) {
		this.shell = shell;
		this.id = id;
		this.reader = reader;
	}

	/**
	 * Starts a process.
	 * @param command what to start
	 * @param log where all goes that it prints
	 * @param lines is given each line that it prints, on a thread of its own
	 * @return the process
	 */
	public static GuardedProcess start(List<String> command, Path log, Consumer<String> lines) {
		List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "sh"));
		guarded.addAll(command);
		try {
			Process shell = new ProcessBuilder(guarded).redirectErrorStream(true).start();
			BufferedReader output = shell.inputReader();
			long id = Long.parseLong(output.readLine());
			Thread reader = new Thread(() -> read(output, log, lines), "output-of-" + id);
			reader.setDaemon(true);
			reader.start();
			return new GuardedProcess(shell, id, reader);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void read(BufferedReader output, Path log, Consumer<String> lines) {
		try (var writer = Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				writer.write(line);
				writer.newLine();
				writer.flush();
				hand(line, lines);
			}
		}
		catch (IOException ex) {
			// It ended, or was ended, while a line was read.
		}
	}

	/** Whatever comes of it, the next line is read: a process stops when nobody reads. */
	private static void hand(String line, Consumer<String> lines) {
		try {
			lines.accept(line);
		}
		catch (RuntimeException ex) {
			System.err.printf("Nothing could be made of '%s': %s%n", line, ex);
		}
	}

	/**
	 * Returns the id by which the system knows it.
	 * @return the id
	 */
	public long id() {
		return this.id;
	}

	/**
	 * Returns whether it runs, be it frozen or not.
	 * @return whether it runs
	 */
	public boolean isAlive() {
		return this.shell.isAlive();
	}

	/**
	 * Completes when it has ended.
	 * @return its exit code, once it has one
	 */
	public CompletableFuture<Integer> onExit() {
		return this.shell.onExit().thenApply(Process::exitValue);
	}

	/** Stops it in the middle of what it does, as a long garbage collection does. */
	public void freeze() {
		signal("STOP");
	}

	/** Lets it go on where it stopped. */
	public void goOn() {
		signal("CONT");
	}

	/** Ends it at once, as a crash does. */
	public void kill() {
		signal("KILL");
	}

	/** Asks it to end, and does not wait for it. It is killed if it takes too long. */
	public void end() {
		try {
			this.shell.getOutputStream().close();
		}
		catch (IOException ex) {
			// The shell has ended, and so has its child.
		}
	}

	@Override
	public void close() {
		end();
		try {
			this.shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
			// Else it could write to its log, even create it, after whoever closes has
			// deleted the folder.
			if (this.reader != Thread.currentThread()) {
				this.reader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void signal(String signal) {
		if (!isAlive()) {
			return;
		}
		try {
			// The shell's own kill, as not every machine has the program. It is waited
			// for without a future:
			// the threads that complete those may be waiting for a lock of whoever sends
			// the signal.
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, this.id)).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
