package io.leaderstarter.backend.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.TimeSource;

/**
 * The time-out of a call that sends several requests.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class CallTimeout {

	private final TimeSource time;

	private final long end;

	private final String store;

	/**
	 * Create a new time-out, which begins now.
	 * @param time the clocks of this process
	 * @param timeout how long the call may take
	 * @param store the name of the store in messages
	 */
	public CallTimeout(TimeSource time, Duration timeout, String store) {
		this.time = time;
		this.end = time.nanoTime() + timeout.toNanos();
		this.store = store;
	}

	/**
	 * Wait for an answer until the call times out.
	 * @param <T> the type of the answer
	 * @param future gets the answer
	 * @return the answer
	 * @throws TimeoutException if there is none in time
	 * @throws ExecutionException if the request failed
	 */
	public <T> T await(CompletableFuture<T> future) throws TimeoutException, ExecutionException {
		try {
			return future.get(Math.max(1, this.end - this.time.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			throw interrupted(this.store, ex);
		}
	}

	/**
	 * Set the interrupt flag of this thread again and return the exception to throw.
	 * @param store the name of the store in messages
	 * @param cause the exception that cleared the interrupt
	 * @return the exception
	 */
	public static StoreException interrupted(String store, InterruptedException cause) {
		Thread.currentThread().interrupt();
		return new StoreException("Interrupted while waiting for " + store, cause);
	}

}
