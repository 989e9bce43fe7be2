package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process with a member that the test stops and continues. It writes down when it was
 * renewed and until when it led, by the clock that all processes of a machine share. Once
 * a file is there, it pauses a server right after the next renewal, which nobody else
 * could do as soon.
 */
final class PausedMember {

	private final PrintStream history;

	private final Path armed;

	private final Process freezing;

	private boolean frozen;

	private PausedMember(Path history, Path armed, String server) throws IOException {
		this.history = new PrintStream(Files.newOutputStream(history), true);
		this.armed = armed;
		// It is ready, so that a line is all that it takes.
		this.freezing = new ProcessBuilder("sh", "-c", "read -r word; kill -STOP " + server).start();
	}

	/** Arguments: history, armed, server's process, servers, base path, ttl, tick. */
	public static void main(String[] args) throws Exception {
		PausedMember paused = new PausedMember(Path.of(args[0]), Path.of(args[1]), args[2]);
		ZooKeeperMember member = ZooKeeperMember.start(args[3], args[4], Duration.parse(args[5]),
				Duration.parse(args[6]), "duty");
		member.elections.addRequestListener((request, took, answered) -> {
			if (request.equals("renew")) {
				paused.renewed(answered);
			}
		});
		boolean leading = false;
		for (long led = 0;; Thread.sleep(1)) {
			// Read before it is asked, so that it led at that moment at the earliest.
			long now = System.nanoTime();
			boolean leads = member.leads("duty");
			if (leading != leads) {
				paused.write(leads ? "leads" : "led", leads ? now : led);
			}
			leading = leads;
			led = leads ? now : led;
		}
	}

	private void renewed(boolean answered) {
		if (!answered) {
			return;
		}
		if (!this.frozen && Files.exists(this.armed)) {
			this.frozen = true;
			try (var input = this.freezing.outputWriter()) {
				input.write("now\n");
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			write("freezes", System.nanoTime());
		}
		write("renewed", System.nanoTime());
	}

	private synchronized void write(String what, long nanos) {
		this.history.println(what + " " + nanos);
	}

}
