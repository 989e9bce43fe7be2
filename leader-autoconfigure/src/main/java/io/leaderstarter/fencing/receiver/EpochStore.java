package io.leaderstarter.fencing.receiver;

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
	 * Keep an epoch if none is kept, or if it {@link Entry#replaces replaces} the one
	 * that is. Comparing and keeping must be one step, however many callers there are.
	 * @param role the role
	 * @param offered the epoch that was sent
	 * @return what is kept now: the offered one, or the one that was there
	 */
	Entry raise(String role, Entry offered);

	/**
	 * The highest epoch that was seen.
	 *
	 * @param epoch the epoch
	 * @param termId the id of its term, {@code null} if it was not sent
	 */
	record Entry(long epoch, @Nullable String termId) {

		/**
		 * Return whether this entry is to be kept instead of another one: it is higher,
		 * or says the term id of an epoch whose term id was not sent before. Otherwise
		 * two term ids of one epoch would pass.
		 * @param kept what is kept
		 * @return whether to keep this one
		 */
		public boolean replaces(Entry kept) {
			return this.epoch > kept.epoch || (this.epoch == kept.epoch && kept.termId == null && this.termId != null);
		}

	}

}
