package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TimeSource;

/**
 * A process on a machine of its own: its clocks, which drift and can be set, and its
 * threads, which can be paused or killed at any place where they block, and in between
 * where they read a clock.
 */
final class Host implements Platform, TimeSource {

	/** What another thread, or the same in another round, costs at least. */
	private static final long LEAST_DELAY = 20_000;

	private static final long MOST_DELAY = 300_000;

	/** One thread of so many gets no CPU for a while, where the machine is busy. */
	private static final int BUSY = 30;

	private static final long MOST_BUSY_DELAY = 500_000_000;

	private static final long CHECK_INTERVAL = 20_000_000;

	private final String name;

	private final Scheduler scheduler;

	private final SplittableRandom random;

	private final double rate;

	private final long firstNanos;

	private long wallMillis;

	private boolean dead;

	private long pausedUntil;

	/** The monotonic clock did not run for so long. */
	private long suspended;

	private long suspendedFrom;

	private long suspendedUntil;

	/** After so many readings of a clock comes a pause. */
	private long readsUntilPause;

	private long pauseAfterReads;

	private boolean threadsFail;

	private boolean busy;

	private boolean observed;

	private long steps;

	/**
	 * Start a process.
	 * @param name the name of it
	 * @param scheduler where it runs
	 * @param random makes all its random choices
	 * @param drift how much faster its clocks run than true time
	 */
	Host(String name, Scheduler scheduler, SplittableRandom random, double drift) {
		this.name = name;
		this.scheduler = scheduler;
		this.random = random;
		this.rate = 1 + drift;
		this.firstNanos = random.nextLong(1L << 50);
		this.wallMillis = 1_800_000_000_000L + random.nextInt(2000);
	}

	// Faults

	/** Pause all threads. If the machine is suspended, the monotonic clock stands. */
	void pause(long nanos, boolean suspend) {
		long now = this.scheduler.now();
		if (suspend && now >= this.suspendedUntil) {
			this.suspended += this.suspendedUntil - this.suspendedFrom;
			this.suspendedFrom = now;
			this.suspendedUntil = now + nanos;
		}
		this.pausedUntil = Math.max(this.pausedUntil, now + nanos);
	}

	/** Pause all threads when one of them has read a clock so many times. */
	void pauseAfterReads(int reads, long nanos) {
		this.readsUntilPause = reads;
		this.pauseAfterReads = nanos;
	}

	void setWallClock(long byMillis) {
		this.wallMillis += byMillis;
	}

	void setBusy(boolean busy) {
		this.busy = busy;
	}

	void setThreadsFail(boolean fail) {
		this.threadsFail = fail;
	}

	void kill() {
		if (!this.dead) {
			this.dead = true;
			this.scheduler.kill(this);
		}
	}

	boolean isDead() {
		return this.dead;
	}

	long pausedUntil() {
		return this.pausedUntil;
	}

	boolean isPaused() {
		return this.pausedUntil > this.scheduler.now();
	}

	/** How many steps its workers made. */
	long steps() {
		return this.steps;
	}

	/** Ask something of this process from outside, where no fault may meet it. */
	<T> T observe(Supplier<T> question) {
		this.observed = true;
		try {
			return question.get();
		}
		finally {
			this.observed = false;
		}
	}

	// Clocks

	@Override
	public long nanoTime() {
		read();
		long now = this.scheduler.now();
		long standing = Math.min(now, this.suspendedUntil) - this.suspendedFrom;
		return this.firstNanos + (long) ((now - this.suspended - standing) * this.rate);
	}

	@Override
	public long currentTimeMillis() {
		return this.wallMillis + (long) (this.scheduler.now() * this.rate) / 1_000_000;
	}

	private void read() {
		if (this.readsUntilPause > 0 && !this.observed && --this.readsUntilPause == 0) {
			pause(this.pauseAfterReads, false);
			// It may hold a lock that others want, so it goes on before they do.
			this.scheduler.blockFirst(this.pausedUntil, this);
		}
	}

	@Override
	public TimeSource time() {
		return this;
	}

	@Override
	public TimeSource processTime() {
		return this;
	}

	// Threads

	/** Start a thread. */
	void run(Runnable task) {
		run(0, task);
	}

	/** Start a thread after some time by the monotonic clock. */
	void run(long nanos, Runnable task) {
		this.scheduler.at(this.scheduler.now() + trueTime(nanos) + delay(), this, task);
	}

	/** Block the running thread for some time by the monotonic clock. */
	void sleep(long nanos) {
		block(nanos, new Scheduler.Blocking());
	}

	/**
	 * Block the running thread for some time by the monotonic clock.
	 * @param blocking lets it be unblocked earlier
	 */
	void block(long nanos, Scheduler.Blocking blocking) {
		long until = this.scheduler.now() + trueTime(nanos);
		if (this.scheduler.isNothingUntil(until) && !this.dead) {
			this.scheduler.advance(until);
		}
		else {
			this.scheduler.block(until, this, blocking);
		}
	}

	/** How much true time passes while the monotonic clock counts so much. */
	long trueTime(long nanos) {
		return (nanos > 0) ? 1 + (long) Math.ceil(Math.min(nanos, TimeUnit.DAYS.toNanos(1)) / this.rate) : 0;
	}

	private long delay() {
		long most = (this.busy && this.random.nextInt(BUSY) == 0) ? MOST_BUSY_DELAY : MOST_DELAY;
		return LEAST_DELAY + this.random.nextLong(most);
	}

	@Override
	public Worker worker(String name, Supplier<Duration> step) {
		return new StepWorker(step);
	}

	@Override
	public Executor executor(String name, int threads) {
		Deque<Runnable> queue = new ArrayDeque<>();
		int[] busy = { 0 };
		return (task) -> {
			if (this.threadsFail) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			queue.add(task);
			if (busy[0] < threads) {
				busy[0]++;
				run(() -> {
					try {
						while (!queue.isEmpty()) {
							queue.remove().run();
						}
					}
					finally {
						busy[0]--;
					}
				});
			}
		};
	}

	@Override
	public boolean await(BooleanSupplier condition, Duration timeout) {
		long end = nanoTime() + timeout.toNanos();
		while (!condition.getAsBoolean()) {
			if (nanoTime() - end >= 0) {
				return false;
			}
			sleep(CHECK_INTERVAL);
		}
		return true;
	}

	@Override
	public Condition condition(Lock lock) {
		return new LockCondition(lock);
	}

	@Override
	public double random() {
		return this.random.nextDouble();
	}

	@Override
	public String randomId() {
		return Long.toHexString(this.random.nextLong());
	}

	@Override
	public String toString() {
		return this.name;
	}

	/** Makes one step after the other, on another thread after each start. */
	private final class StepWorker implements Worker {

		private final Supplier<Duration> step;

		private StepThread thread;

		private StepWorker(Supplier<Duration> step) {
			this.step = step;
		}

		@Override
		public void start() {
			this.thread = new StepThread(this.step);
			this.thread.plan(0);
		}

		@Override
		public void wake() {
			if (this.thread != null) {
				this.thread.wake();
			}
		}

		@Override
		public boolean stop(Duration timeout) {
			return this.thread == null || this.thread.stop(timeout);
		}

	}

	/** A thread of a worker. Once it is stopped it does not come back. */
	private final class StepThread {

		private final Supplier<Duration> step;

		private final Scheduler.Blocking ended = new Scheduler.Blocking();

		private Scheduler.Event next;

		private boolean inStep;

		private boolean woken;

		private boolean stopped;

		private StepThread(Supplier<Duration> step) {
			this.step = step;
		}

		private void plan(long wait) {
			this.next = Host.this.scheduler.at(Host.this.scheduler.now() + trueTime(wait) + delay(), Host.this,
					this::run);
		}

		private void wake() {
			if (!this.woken && !this.stopped) {
				this.woken = true;
				if (this.next != null) {
					Host.this.scheduler.cancel(this.next);
					plan(0);
				}
			}
		}

		private boolean stop(Duration timeout) {
			this.stopped = true;
			if (this.next != null) {
				Host.this.scheduler.cancel(this.next);
			}
			if (this.inStep) {
				block(Math.max(timeout.toNanos(), 1_000_000), this.ended);
			}
			return !this.inStep;
		}

		private void run() {
			this.next = null;
			this.woken = false;
			this.inStep = true;
			Host.this.steps++;
			long wait = this.step.get().toNanos();
			this.inStep = false;
			if (this.stopped) {
				Host.this.scheduler.unblock(this.ended);
			}
			else {
				plan(this.woken ? 0 : wait);
			}
		}

	}

	/** Where threads wait that hold a lock. */
	private final class LockCondition implements Condition {

		private final Lock lock;

		private final List<Scheduler.Blocking> waiting = new ArrayList<>();

		private LockCondition(Lock lock) {
			this.lock = lock;
		}

		@Override
		public long awaitNanos(long nanos) {
			long end = nanoTime() + nanos;
			Scheduler.Blocking blocking = new Scheduler.Blocking();
			this.waiting.add(blocking);
			this.lock.unlock();
			try {
				Host.this.scheduler.block(Host.this.scheduler.now() + trueTime(nanos), Host.this, blocking);
			}
			finally {
				this.lock.lock();
				this.waiting.remove(blocking);
			}
			return end - nanoTime();
		}

		@Override
		public void signalAll() {
			this.waiting.forEach(Host.this.scheduler::unblock);
		}

		@Override
		public void await() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void awaitUninterruptibly() {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean await(long time, TimeUnit unit) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean awaitUntil(Date deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void signal() {
			throw new UnsupportedOperationException();
		}

	}

}
