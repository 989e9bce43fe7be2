package io.leaderstarter.simulation;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual time, and the one thread that runs in it.
 * <p>
 * What happens are events, each at its moment. They are run one after the other, so that
 * a schedule is the same whenever it is repeated. An event may block in the middle, as a
 * call of a store does: it keeps its thread, and another thread goes on with the events
 * until it is the moment for the first one to go on. Only one thread runs at a time: it
 * has the baton.
 */
final class Scheduler {

	/** How many events of one moment can only be a loop. */
	private static final int MOST_AT_ONCE = 10_000;

	/** In real time. So long without an event, and there will be none. */
	private static final long PATIENCE = 30_000_000_000L;

	/** Comes before all other events of its moment. */
	private static final long FIRST = -1;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	/** Threads that wait for the baton without being in the middle of anything. */
	private final Deque<Carrier> idle = new ArrayDeque<>();

	private volatile Carrier running;

	private Thread caller;

	private Runnable afterEach;

	private Runnable atEnd;

	private long now;

	private long end;

	private volatile long number;

	private int atOnce;

	private boolean ending;

	private Throwable failure;

	private volatile boolean over;

	/**
	 * Run events until there are none, or the end has come.
	 * @param end the last moment
	 * @param first what happens at the first moment
	 * @param afterEach what to do after each event. If it throws, the end has come
	 * @param atEnd what to do at the end; all processes have to be killed then
	 * @return what was thrown, {@code null} if nothing was
	 */
	Throwable run(long end, Runnable first, Runnable afterEach, Runnable atEnd) {
		this.end = end;
		this.afterEach = afterEach;
		this.atEnd = atEnd;
		this.now = 0;
		this.number = 0;
		this.atOnce = 0;
		this.ending = false;
		this.failure = null;
		this.over = false;
		this.caller = Thread.currentThread();
		at(0, null, first);
		pass(carrier());
		for (long last = -1; !this.over; last = this.number) {
			LockSupport.parkNanos(this, PATIENCE);
			if (this.number == last && !this.over) {
				throw stuck();
			}
		}
		return this.failure;
	}

	/** The running thread waits for something that is not simulated. */
	private IllegalStateException stuck() {
		IllegalStateException stuck = new IllegalStateException("A thread blocks in earnest");
		stuck.setStackTrace(this.running.thread.getStackTrace());
		return stuck;
	}

	/** End the threads. */
	void close() {
		while (!this.idle.isEmpty()) {
			this.idle.pop().end();
		}
	}

	/** The present moment in nanoseconds. */
	long now() {
		return this.now;
	}

	/**
	 * Plan an event.
	 * @param at when
	 * @param host the process that it happens in, {@code null} if it is outside of all
	 * @param action what happens
	 * @return the event
	 */
	Event at(long at, Host host, Runnable action) {
		return plan(at, this.number++, host, action, null);
	}

	private Event plan(long at, long number, Host host, Runnable action, Carrier blocked) {
		Event event = new Event(Math.max(at, this.now), number, host, action, blocked);
		this.events.add(event);
		return event;
	}

	void cancel(Event event) {
		this.events.remove(event);
	}

	/**
	 * Return whether nothing happens up to a moment, so that a thread that would block
	 * until then can go on at once.
	 */
	boolean isNothingUntil(long moment) {
		Event next = this.events.peek();
		return moment < this.end && (next == null || next.at > moment);
	}

	/** Go on at a later moment, before which nothing happens. */
	void advance(long moment) {
		if (moment > this.now) {
			this.now = moment;
			this.atOnce = 0;
		}
	}

	/**
	 * Block the running thread.
	 * @param until when it goes on by itself
	 * @param host the process that it belongs to
	 * @param blocking lets it be unblocked earlier
	 */
	void block(long until, Host host, Blocking blocking) {
		block(until, host, blocking, this.number++);
	}

	private void block(long until, Host host, Blocking blocking, long number) {
		if (host.isDead()) {
			throw new Killed();
		}
		try {
			this.afterEach.run();
		}
		catch (Throwable ex) {
			finish(ex);
		}
		Carrier own = this.running;
		blocking.event = plan(until, number, host, null, own);
		if (host.isDead()) {
			// At the end that has come just now.
			unblock(blocking);
		}
		pass(carrier());
		own.awaitBaton();
		blocking.event = null;
		if (host.isDead()) {
			throw new Killed();
		}
	}

	/**
	 * Block the running thread of a process that is paused. When the pause ends, it goes
	 * on before all other threads of the process.
	 */
	void blockFirst(long until, Host host) {
		block(until, host, new Blocking(), FIRST);
	}

	/** Let a blocked thread go on now. */
	void unblock(Blocking blocking) {
		Event planned = blocking.event;
		if (planned != null && this.events.remove(planned)) {
			blocking.event = plan(this.now, this.number++, planned.host, null, planned.blocked);
		}
	}

	/**
	 * End the threads of a process where they are blocked. Nothing else of it happens.
	 */
	void kill(Host host) {
		// One that holds a lock before those that want it.
		List<Event> left = this.events.stream()
			.filter((event) -> event.host == host)
			.sorted(Comparator.comparing((event) -> event.number))
			.toList();
		this.events.removeIf((event) -> event.host == host);
		left.stream()
			.filter((event) -> event.blocked != null)
			.forEach((event) -> plan(this.now, this.number++, host, null, event.blocked));
	}

	private Carrier carrier() {
		return this.idle.isEmpty() ? new Carrier() : this.idle.pop();
	}

	private void pass(Carrier to) {
		this.running = to;
		to.give();
	}

	/** Run events until there are none, or another thread has to go on. */
	private void work(Carrier own) {
		while (true) {
			Event event = this.events.poll();
			if (event == null || event.at > this.end) {
				if (!this.ending) {
					if (event != null) {
						// A thread may be blocked until then, which has to end as well.
						this.events.add(event);
					}
					finish(null);
					continue;
				}
				// What would come after the end is none of the next schedule.
				this.events.clear();
				this.idle.push(own);
				this.over = true;
				LockSupport.unpark(this.caller);
				return;
			}
			if (event.blocked == null && (this.ending || (event.host != null && event.host.isDead()))) {
				continue;
			}
			if (event.host != null && event.host.pausedUntil() > Math.max(event.at, this.now) && !event.host.isDead()) {
				event.at = event.host.pausedUntil();
				this.events.add(event);
				continue;
			}
			advance(event.at);
			if (++this.atOnce > MOST_AT_ONCE) {
				finish(new IllegalStateException("Time does not go on"));
			}
			if (event.blocked != null) {
				this.idle.push(own);
				pass(event.blocked);
				return;
			}
			try {
				event.action.run();
				this.afterEach.run();
			}
			catch (Killed ex) {
				// That is how the threads of a process end.
			}
			catch (Throwable ex) {
				finish(ex);
			}
		}
	}

	private void finish(Throwable ex) {
		if (!this.ending) {
			this.ending = true;
			this.failure = ex;
			this.atEnd.run();
		}
	}

	/** How a thread ends whose process was killed. Nothing in the product catches it. */
	@SuppressWarnings("serial")
	static final class Killed extends Error {

		Killed() {
			super("killed", null, false, false);
		}

	}

	/** A place where a thread blocks until it is woken. */
	static final class Blocking {

		private Event event;

	}

	/** Something that happens at a moment. */
	static final class Event implements Comparable<Event> {

		private long at;

		private final long number;

		private final Host host;

		private final Runnable action;

		private final Carrier blocked;

		private Event(long at, long number, Host host, Runnable action, Carrier blocked) {
			this.at = at;
			this.number = number;
			this.host = host;
			this.action = action;
			this.blocked = blocked;
		}

		@Override
		public int compareTo(Event other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.number, other.number);
		}

	}

	/** A thread that runs events while it has the baton. */
	private final class Carrier {

		private final Thread thread = new Thread(this::run, "simulation");

		private volatile boolean baton;

		private volatile boolean ended;

		private Carrier() {
			this.thread.setDaemon(true);
			this.thread.start();
		}

		private void give() {
			this.baton = true;
			LockSupport.unpark(this.thread);
		}

		private void end() {
			this.ended = true;
			LockSupport.unpark(this.thread);
		}

		private void awaitBaton() {
			while (!this.baton && !this.ended) {
				LockSupport.park(this);
			}
			this.baton = false;
		}

		private void run() {
			for (awaitBaton(); !this.ended; awaitBaton()) {
				work(this);
			}
		}

	}

}
