package io.leaderstarter.testsupport;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;

/**
 * Detects pauses of this process: a thread that wants to sleep for a moment comes back
 * much later. What takes long meanwhile takes long for that reason.
 */
public final class PauseWatch implements AutoCloseable {

	private static final long MOMENT_MILLIS = 10;

	private static final Duration LEAST = Duration.ofMillis(50);

	private final List<Pause> pauses = new CopyOnWriteArrayList<>();

	private final Consumer<Pause> listener;

	private final Thread thread = new Thread(this::watch, "pause-watch");

	/** Begins to watch. */
	public PauseWatch() {
		this((pause) -> {
		});
	}

	/**
	 * Begins to watch.
	 * @param listener notified of each pause when it is over
	 */
	public PauseWatch(Consumer<Pause> listener) {
		this.listener = listener;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/**
	 * Returns how long this process was paused.
	 * @param from a pause that ended earlier does not count
	 * @param to a pause that began later does not count
	 * @return the sum
	 */
	public Duration between(long from, long to) {
		return this.pauses.stream()
			.filter((pause) -> pause.end() - from > 0 && pause.end() - pause.length().toNanos() - to < 0)
			.map(Pause::length)
			.reduce(Duration.ZERO, Duration::plus);
	}

	/**
	 * Asserts that something took less than a limit, not counting how long this process
	 * was paused meanwhile, which may be seen a little later.
	 * @param limit the limit
	 * @param from when it began, as of {@link System#nanoTime()}
	 * @param to when it was over
	 */
	public void assertTookLessThan(Duration limit, long from, long to) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> Assertions.assertThat(Duration.ofNanos(to - from).minus(between(from, to)))
				.isLessThan(limit));
	}

	private void watch() {
		try {
			while (true) {
				long begin = System.nanoTime();
				Thread.sleep(MOMENT_MILLIS);
				long end = System.nanoTime();
				Duration length = Duration.ofNanos(end - begin);
				if (length.minusMillis(MOMENT_MILLIS).compareTo(LEAST) > 0) {
					Pause pause = new Pause(end, length);
					this.pauses.add(pause);
					this.listener.accept(pause);
				}
			}
		}
		catch (InterruptedException ex) {
			// Nobody wants to know any more.
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
	}

	/**
	 * A pause of this process.
	 *
	 * @param end when it was over, as of {@link System#nanoTime()}
	 * @param length how long it was
	 */
	public record Pause(long end, Duration length) {
	}

}
