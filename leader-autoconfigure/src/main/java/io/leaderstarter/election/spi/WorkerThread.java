package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does one step after the other, waits as long as the step says, and can be
 * woken.
 */
final class WorkerThread implements Platform.Worker {

	private static final Log logger = LogFactory.getLog(WorkerThread.class);

	/** Keeps a step that fails at once from keeping a core busy. */
	private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Supplier<Duration> step;

	private final String name;

	private volatile @Nullable Thread thread;

	private boolean woken;

	private volatile boolean stopped;

	WorkerThread(String name, Supplier<Duration> step) {
		this.name = name;
		this.step = step;
	}

	@Override
	public void start() {
		this.stopped = false;
		Thread thread = Platform.thread(this.name, this::run);
		this.thread = thread;
		thread.start();
	}

	@Override
	public void wake() {
		this.lock.lock();
		try {
			this.woken = true;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean stop(Duration timeout) {
		this.stopped = true;
		wake();
		Thread thread = this.thread;
		if (thread == null) {
			return true;
		}
		try {
			thread.join(Math.max(1, timeout.toMillis()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return !thread.isAlive();
	}

	private void run() {
		while (isNeeded()) {
			Duration wait;
			try {
				wait = this.step.get();
			}
			catch (Throwable ex) {
				// Without this thread no lease is renewed, so it outlives every mistake.
				logger.error("A step of the election failed", ex);
				wait = AFTER_FAILURE;
			}
			await(wait);
		}
	}

	/**
	 * Whether the calling thread is to go on. One that was stopped while it hung must not
	 * come back beside its successor, nor be woken in its place.
	 */
	private boolean isNeeded() {
		return !this.stopped && Thread.currentThread() == this.thread;
	}

	private void await(Duration wait) {
		this.lock.lock();
		try {
			long nanos = wait.toNanos();
			while (isNeeded() && !this.woken && nanos > 0) {
				nanos = this.changed.awaitNanos(nanos);
			}
			if (isNeeded()) {
				this.woken = false;
			}
		}
		catch (InterruptedException ex) {
			// Not interrupted by the elections. Only stop() ends it.
			logger.debug("The interrupt of a thread of the elections is ignored", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

}
