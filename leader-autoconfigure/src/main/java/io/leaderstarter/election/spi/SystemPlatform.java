package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The threads of this process.
 *
 * @param time the clocks that leases are counted by
 */
record SystemPlatform(TimeSource time) implements Platform {

	private static final Duration IDLE = Duration.ofSeconds(5);

	private static final Duration CHECK_INTERVAL = Duration.ofMillis(5);

	@Override
	public TimeSource processTime() {
		return TimeSource.SYSTEM;
	}

	@Override
	public Worker worker(String name, Supplier<Duration> step) {
		return new WorkerThread(name, step);
	}

	@Override
	public Executor executor(String name, int threads) {
		boolean unlimited = threads == Integer.MAX_VALUE;
		BlockingQueue<Runnable> queue = unlimited ? new SynchronousQueue<>() : new LinkedBlockingQueue<>();
		AtomicInteger number = new AtomicInteger();
		ThreadPoolExecutor executor = new ThreadPoolExecutor(unlimited ? 0 : threads, threads, IDLE.toMillis(),
				TimeUnit.MILLISECONDS, queue, (task) -> Platform.thread(name + "-" + number.incrementAndGet(), task));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	@Override
	public boolean await(BooleanSupplier condition, Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end >= 0) {
				return false;
			}
			try {
				Thread.sleep(CHECK_INTERVAL.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}
		return true;
	}

	@Override
	public double random() {
		return ThreadLocalRandom.current().nextDouble();
	}

	@Override
	public String randomId() {
		return UUID.randomUUID().toString();
	}

}
