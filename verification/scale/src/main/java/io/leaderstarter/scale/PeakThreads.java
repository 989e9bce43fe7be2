package io.leaderstarter.scale;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Sees how many threads of ours there are at most.
 */
final class PeakThreads extends Thread {

	private volatile int peak;

	PeakThreads() {
		super("peak-threads");
		setDaemon(true);
	}

	@Override
	public void run() {
		try {
			while (true) {
				this.peak = Math.max(this.peak, names().size());
				sleep(5);
			}
		}
		catch (InterruptedException ex) {
			// That is how it ends.
		}
	}

	int peak() {
		return this.peak;
	}

	void reset() {
		this.peak = 0;
	}

	static List<String> names() {
		Thread[] threads = new Thread[Thread.activeCount() + 100];
		int count = Thread.enumerate(threads);
		return IntStream.range(0, count)
			.mapToObj((i) -> threads[i].getName())
			.filter((name) -> name.startsWith("leader-"))
			.sorted()
			.toList();
	}

}
