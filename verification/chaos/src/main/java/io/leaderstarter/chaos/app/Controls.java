package io.leaderstarter.chaos.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.leaderstarter.election.spi.TimeSource;

/**
 * What is done to a member from outside: a few numbers in a file that both processes map
 * into memory. So a process that is frozen finds its clocks changed when it goes on.
 */
public final class Controls implements TimeSource {

	private static final int LAG = 0;

	private static final int WALL_LAG = Long.BYTES;

	private static final int WALL_SET = 2 * Long.BYTES;

	private static final int EXHAUSTED = 3 * Long.BYTES;

	private static final int SIZE = 4 * Long.BYTES;

	private final MappedByteBuffer numbers;

	/**
	 * Maps a file, which is made if it is not there.
	 * @param file the file
	 */
	public Controls(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			this.numbers = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Lets clocks lose time, as those of a suspended machine do. Only while the process
	 * is frozen.
	 * @param duration for how long they stood
	 * @param wallToo whether the wall clock stood as well
	 */
	public void suspended(Duration duration, boolean wallToo) {
		this.numbers.putLong(WALL_LAG, this.numbers.getLong(WALL_LAG) + (wallToo ? duration.toNanos() : 0));
		this.numbers.putLong(LAG, this.numbers.getLong(LAG) + duration.toNanos());
	}

	/** Sets clocks right that have stood. */
	public void setRight() {
		this.numbers.putLong(WALL_LAG, 0);
		this.numbers.putLong(LAG, 0);
	}

	/**
	 * Sets the wall clock.
	 * @param offset how far it is ahead of the machine's
	 */
	public void setWallClock(Duration offset) {
		this.numbers.putLong(WALL_SET, offset.toNanos());
	}

	/**
	 * Makes the member take all connections of its pool.
	 * @param nanos until when, as of {@link System#nanoTime()}
	 */
	public void exhaustPoolUntil(long nanos) {
		this.numbers.putLong(EXHAUSTED, nanos);
	}

	/** Returns until when the pool has to be exhausted. */
	long poolExhaustedUntil() {
		return this.numbers.getLong(EXHAUSTED);
	}

	@Override
	public long nanoTime() {
		return lagging(LAG, System::nanoTime);
	}

	@Override
	public long currentTimeMillis() {
		return TimeUnit.NANOSECONDS.toMillis(this.numbers.getLong(WALL_SET)
				+ lagging(WALL_LAG, () -> TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis())));
	}

	private long lagging(int lag, LongSupplier clock) {
		while (true) {
			long lost = this.numbers.getLong(lag);
			long now = clock.getAsLong();
			// Frozen between the two readings, the clock would go backwards.
			if (lost == this.numbers.getLong(lag)) {
				return now - lost;
			}
		}
	}

}
