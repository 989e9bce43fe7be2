package io.leaderstarter.chaos.app;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.fencing.FenceListener;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Writes down what happens in a member: a line for each event, in a file that is complete
 * up to its last line whenever the process dies. All processes of a machine share the
 * clock of {@link System#nanoTime()}.
 */
@Component
class History implements FenceListener {

	private final PrintStream lines;

	History() throws IOException {
		this.lines = new PrintStream(Files.newOutputStream(Path.of(System.getProperty(ChaosApplication.HISTORY)),
				StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
	}

	void up() {
		write("up", System.nanoTime());
	}

	void leads(long nanos, Leadership term) {
		write("leads", nanos, term.role(), term.epoch());
	}

	void ended(Operation operation, Operation.Outcome outcome) {
		write("operation", System.nanoTime(), operation.role(), operation.epoch(), operation.id(),
				operation.firstClaim(), operation.lastClaim(), outcome);
	}

	/** Numbers of threads, by their names without numbers and ids. */
	void threads() {
		var threads = ManagementFactory.getThreadMXBean();
		String groups = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
			.filter(Objects::nonNull)
			.map(ThreadInfo::getThreadName)
			.collect(
					Collectors.groupingBy((name) -> name.replaceAll("[0-9a-f]{8,}|\\d+", "#").replaceAll("[\\s=]", "_"),
							TreeMap::new, Collectors.counting()))
			.entrySet()
			.stream()
			.map((group) -> group.getKey() + "=" + group.getValue())
			.collect(Collectors.joining(" "));
		write("threads", System.nanoTime(), groups);
	}

	/** Notified asynchronously, so the time is when it was known here. */
	@EventListener
	void onGranted(LeadershipGrantedEvent event) {
		write("granted", System.nanoTime(), event.leadership().role(), event.leadership().epoch());
	}

	@EventListener
	void onRevoked(LeadershipRevokedEvent event) {
		write("revoked", System.nanoTime(), event.leadership().role(), event.leadership().epoch(), event.reason());
	}

	@Override
	public void onRefusal(String database, Leadership leadership, Refuser by) {
		write("refusal", System.nanoTime(), leadership.role(), leadership.epoch(), by);
	}

	private synchronized void write(Object... words) {
		this.lines.println(Arrays.stream(words).map(Object::toString).collect(Collectors.joining(" ")));
	}

}
