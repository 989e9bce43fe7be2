package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.leaderstarter.sample.demo.Event.Kind;
import io.leaderstarter.sample.demo.NodeView.Phase;
import io.leaderstarter.sample.demo.node.Report;
import io.leaderstarter.sample.demo.process.GuardedProcess;
import org.jspecify.annotations.Nullable;

/**
 * One node: its process, what it reports, and what is done to it.
 */
final class DemoNode implements AutoCloseable {

	/** Then a call has read what it needs, and has not written yet. */
	private static final int MIDDLE_BEGINS_MILLIS = 250;

	private static final int MIDDLE_ENDS_MILLIS = 900;

	private final String name;

	private final List<String> command;

	private final Path log;

	private final EventLog events;

	private final BiConsumer<DemoNode, Report> reports;

	/** When the calls that run now began, by role. */
	private final Map<String, Long> calls = new ConcurrentHashMap<>();

	private @Nullable GuardedProcess process;

	/**
	 * Which of its processes runs; what one has printed may be read when it has ended.
	 */
	private int run;

	private Phase phase = Phase.WAITING;

	private long port;

	private long wakesAt;

	private boolean answers;

	private @Nullable NodeStatus status;

	/**
	 * Makes a node, and starts nothing yet.
	 * @param name what people call it
	 * @param command what starts it
	 * @param log where all goes that it prints
	 * @param events where to write down what happens to it
	 * @param reports is given what it reports
	 */
	DemoNode(String name, List<String> command, Path log, EventLog events, BiConsumer<DemoNode, Report> reports) {
		this.name = name;
		this.command = command;
		this.log = log;
		this.events = events;
		this.reports = reports;
	}

	String name() {
		return this.name;
	}

	synchronized NodeView view() {
		return new NodeView(this.name, (this.process != null) ? this.process.id() : 0, this.port, this.phase,
				this.wakesAt, this.answers, this.status);
	}

	/** Starts it if it does not run. */
	synchronized void start() {
		if (this.phase != Phase.WAITING && this.phase != Phase.ENDED) {
			return;
		}
		this.calls.clear();
		this.status = null;
		this.port = 0;
		this.phase = Phase.STARTING;
		int run = ++this.run;
		GuardedProcess started = GuardedProcess.start(this.command, this.log, (line) -> onLine(run, line));
		this.process = started;
		this.events.add(Kind.STARTED, this.name, "%s starts".formatted(this.name));
		started.onExit().thenAccept((code) -> onExit(started, code));
	}

	/** Says that it is going to be frozen. */
	synchronized boolean beginFreezing() {
		boolean possible = this.phase == Phase.UP;
		if (possible) {
			this.phase = Phase.FREEZING;
		}
		return possible;
	}

	/** Returns whether a call of it has read and not written yet. */
	boolean isInTheMiddleOfItsWork() {
		long now = System.currentTimeMillis();
		return this.calls.values()
			.stream()
			.map((begun) -> now - begun)
			.anyMatch((age) -> age > MIDDLE_BEGINS_MILLIS && age < MIDDLE_ENDS_MILLIS);
	}

	/** Stops its process where it is. */
	synchronized void freeze(long until) {
		if (this.phase == Phase.FREEZING && this.process != null) {
			this.process.freeze();
			this.phase = Phase.FROZEN;
			this.wakesAt = until;
			this.answers = false;
			String work = this.calls.isEmpty() ? ""
					: ", in the middle of its work on " + String.join(" and ", this.calls.keySet());
			this.events.add(Kind.FROZEN, this.name, "%s is frozen%s".formatted(this.name, work));
		}
	}

	/**
	 * Lets its process go on.
	 * @param frozenUntil until when it was frozen; it may have been killed, started and
	 * frozen again since
	 */
	synchronized void wake(long frozenUntil) {
		if (this.phase == Phase.FROZEN && this.wakesAt == frozenUntil && this.process != null) {
			this.phase = Phase.UP;
			this.wakesAt = 0;
			this.events.add(Kind.WOKE, this.name, "%s wakes up and goes on where it stopped".formatted(this.name));
			this.process.goOn();
		}
	}

	/** Ends its process as a crash does. */
	synchronized void kill() {
		if (this.process != null && this.process.isAlive()) {
			this.events.add(Kind.KILLED, this.name, "%s is killed".formatted(this.name));
			this.process.kill();
		}
	}

	/** Writes down what it answered, {@code null} if it did not answer. */
	synchronized void onAnswer(@Nullable NodeStatus answer) {
		if (this.phase == Phase.UP || this.phase == Phase.FREEZING) {
			this.answers = answer != null;
			this.status = (answer != null) ? answer : this.status;
		}
	}

	/** Asks it to end, and does not wait for it. */
	synchronized void end() {
		if (this.process != null) {
			this.process.end();
		}
	}

	@Override
	public void close() {
		GuardedProcess ending;
		synchronized (this) {
			ending = this.process;
		}
		// Without the lock, as its last words want it.
		if (ending != null) {
			ending.close();
		}
	}

	void onLine(int of, String line) {
		Report report = Report.read(line);
		if (report == null) {
			return;
		}
		switch (report.kind()) {
			case "ready", "begun", "done" -> onWork(of, report);
			default -> this.reports.accept(this, report);
		}
	}

	private synchronized void onWork(int of, Report report) {
		if (of != this.run) {
			return;
		}
		String role = String.valueOf(report.role());
		if (report.kind().equals("begun")) {
			this.calls.put(role, report.at());
		}
		else if (report.kind().equals("done")) {
			this.calls.remove(role);
		}
		else if (this.phase == Phase.STARTING) {
			this.port = report.number();
			this.phase = Phase.UP;
			this.events.add(Kind.READY, this.name, "%s is ready".formatted(this.name));
		}
	}

	private synchronized void onExit(GuardedProcess ended, int code) {
		if (ended == this.process) {
			this.phase = Phase.ENDED;
			this.wakesAt = 0;
			this.answers = false;
			this.status = null;
			this.calls.clear();
			this.events.add(Kind.ENDED, this.name, "%s has ended with code %d".formatted(this.name, code));
		}
	}

}
