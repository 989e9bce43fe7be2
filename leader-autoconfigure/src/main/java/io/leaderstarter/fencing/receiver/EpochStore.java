package io.leaderstarter.fencing.receiver;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the highest epoch of each role for a {@link FencingGuard}. With a persistent
 * store a guard remembers epochs over restarts; with a shared one several processes are
 * one guard.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface EpochStore {

	/**
	 * Store an epoch if there is none, or if it {@link Entry#replaces replaces} the
	 * stored one. The comparison and the change must be atomic.
	 * @param role the role
	 * @param offered the epoch that was sent
	 * @return what is stored now: the offered one, or the one before
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
		 * Return whether this entry is to be stored instead of another one: it is higher,
		 * or has the term id of an epoch whose term id was not sent before. Otherwise two
		 * term ids of one epoch would be accepted.
		 * @param kept the stored entry
		 * @return whether to store this one
		 */
		public boolean replaces(Entry kept) {
			return this.epoch > kept.epoch || (this.epoch == kept.epoch && kept.termId == null && this.termId != null);
		}

	}

}
