package io.leaderstarter.fencing;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the highest epoch of each role for a {@link FencingGuard}. One that outlives the
 * process keeps a guard from forgetting when it restarts; one that several processes
 * share makes them one guard.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface EpochStore {

	/**
	 * Keeps an epoch if it is higher than the one that is kept, or if none is. Comparing
	 * and keeping must be one step, however many callers there are.
	 * @param role the role
	 * @param offered the epoch that was sent
	 * @return what is kept now: the offered one, or the one that was there
	 */
	Entry raise(String role, Entry offered);

	/**
	 * The highest epoch that was seen.
	 *
	 * @param epoch the epoch
	 * @param tenure the id of its term, {@code null} if it was not sent
	 */
	record Entry(long epoch, @Nullable String tenure) {
	}

}
