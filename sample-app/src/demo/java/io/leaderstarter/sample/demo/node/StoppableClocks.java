package io.leaderstarter.sample.demo.node;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.election.spi.TimeSource;

/**
 * Clocks that stop while their process is paused, as those of a suspended machine can.
 * They are read often, so a long time between two readings was a pause, and does not
 * count.
 * <p>
 * A while after it woke up the wall clock of such a machine is set right. The monotonic
 * one never is, as nobody may set it; who relies on it would take the jump for time that
 * has passed.
 */
final class StoppableClocks implements TimeSource, AutoCloseable {

	private static final int TICK_MILLIS = 50;

	/** Longer than a node that is busy takes between two readings. */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Until then a renewal was due, and a zombie knows that its term is over. */
	private static final long SET_RIGHT_NANOS = TimeUnit.SECONDS.toNanos(3);

	private final TimeSource machine;

	private final boolean setsBothRight;

	private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "clocks");
		thread.setDaemon(true);
		return thread;
	});

	private long readAt;

	private long wokeAt;

	/** How far the monotonic clock is behind. */
	private long lag;

	/** How far the wall clock is behind. */
	private long wallLag;

	/**
	 * Makes the clocks; they have to be started to notice every pause.
	 * @param machine the clocks of the machine
	 * @param setsBothRight whether the monotonic clock is set right as well, for a store
	 * that also reads the machine's
	 */
	StoppableClocks(TimeSource machine, boolean setsBothRight) {
		this.machine = machine;
		this.setsBothRight = setsBothRight;
		this.readAt = machine.nanoTime();
	}

	/** Begins to read them often. */
	void start() {
		this.ticker.scheduleWithFixedDelay(this::nanoTime, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
	}

	@Override
	public synchronized long nanoTime() {
		long now = read();
		return now - this.lag;
	}

	@Override
	public synchronized long currentTimeMillis() {
		read();
		return this.machine.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(this.wallLag);
	}

	private long read() {
		long now = this.machine.nanoTime();
		long gap = now - this.readAt;
		this.readAt = now;
		if (gap > PAUSE_NANOS) {
			this.lag += gap;
			this.wallLag += gap;
			this.wokeAt = now;
		}
		else if (this.wallLag > 0 && now - this.wokeAt > SET_RIGHT_NANOS) {
			this.wallLag = 0;
			this.lag = this.setsBothRight ? 0 : this.lag;
		}
		return now;
	}

	@Override
	public void close() {
		this.ticker.shutdownNow();
	}

}
