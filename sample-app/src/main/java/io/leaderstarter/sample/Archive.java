package io.leaderstarter.sample;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Simulates a slow server that keeps documents.
 */
@Component
class Archive {

	private final Duration takes;

	Archive(@Value("${sample.archive-takes}") Duration takes) {
		this.takes = takes;
	}

	Transfer begin(String document) {
		return new Transfer(this.takes);
	}

	/**
	 * Simulates a connection that another thread can close.
	 */
	static final class Transfer {

		private final Duration takes;

		private final CountDownLatch aborted = new CountDownLatch(1);

		Transfer(Duration takes) {
			this.takes = takes;
		}

		void finish() {
			try {
				if (this.aborted.await(this.takes.toMillis(), TimeUnit.MILLISECONDS)) {
					throw new IllegalStateException("The transfer was aborted");
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted at work", ex);
			}
		}

		void abort() {
			this.aborted.countDown();
		}

	}

}
