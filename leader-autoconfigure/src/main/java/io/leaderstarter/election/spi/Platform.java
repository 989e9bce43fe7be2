package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What elections need of the process that they run in: clocks, threads and random
 * numbers. With another implementation a whole member can run in simulated time.
 *
 * @since 0.1.0
 */
public interface Platform {

	/** The clocks and threads of this process. */
	Platform SYSTEM = of(TimeSource.SYSTEM);

	/**
	 * Use the threads of this process and other clocks.
	 * @param time the clocks that leases are counted by
	 * @return the platform
	 */
	static Platform of(TimeSource time) {
		return new SystemPlatform(time);
	}

	/**
	 * Return the clocks that leases are counted by.
	 * @return the clocks
	 */
	TimeSource time();

	/**
	 * Return the clocks of this process. Time-outs of threads are counted by them, even
	 * where a test decides on the time of leases.
	 * @return the clocks
	 */
	TimeSource processTime();

	/**
	 * Create a worker, which is not started yet.
	 * @param name of its thread
	 * @param step what it does again and again; returns for how long to wait then
	 * @return the worker
	 */
	Worker worker(String name, Supplier<Duration> step);

	/**
	 * Create an executor whose threads are created when needed and end when they are
	 * idle.
	 * @param name of its threads
	 * @param threads the number of threads at most. Further tasks are queued
	 * @return the executor
	 */
	Executor executor(String name, int threads);

	/**
	 * Wait until a condition holds that changes without a signal.
	 * @param condition what to wait for
	 * @param timeout how long to wait at most
	 * @return whether it holds; false also if the thread was interrupted, which it then
	 * still is
	 */
	boolean await(BooleanSupplier condition, Duration timeout);

	/**
	 * Create a condition that threads wait for which hold a lock.
	 * @param lock the lock
	 * @return the condition
	 */
	default Condition condition(Lock lock) {
		return lock.newCondition();
	}

	/**
	 * Return a random number.
	 * @return at least 0 and less than 1
	 */
	double random();

	/**
	 * Return an id that is unique in all processes.
	 * @return the id
	 */
	String randomId();

	/**
	 * Create a thread that does not keep the process from ending.
	 * @param name the name of the thread
	 * @param task what it runs
	 * @return the thread, which is not started
	 */
	static Thread thread(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * A thread that makes one step after the other, waits in between for as long as the
	 * step said, and can be woken.
	 */
	interface Worker {

		/** Start, also again after a stop. */
		void start();

		/** End the present wait, or skip the next one. May be called by any thread. */
		void wake();

		/**
		 * Stop after the present step, and wait for that.
		 * @param timeout how long to wait at most
		 * @return whether it has stopped
		 */
		boolean stop(Duration timeout);

	}

}
