package io.leaderstarter;

/**
 * Listener that is notified when a term of this member begins and ends.
 * <p>
 * Notifications come in order, on a thread that neither renews leases nor serves other
 * listeners. An exception is logged. By the time of a notification the state may have
 * changed again: {@link LeaderElection#isLeader()} has the current state.
 *
 * @since 0.1.0
 */
public interface LeadershipListener {

	/**
	 * This member leads from now on.
	 * @param leadership the term that began
	 */
	default void onGranted(Leadership leadership) {
	}

	/**
	 * This member's term ended.
	 * @param leadership the term that ended
	 * @param reason why it ended
	 */
	default void onRevoked(Leadership leadership, RevocationReason reason) {
	}

}
