package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Keeps the leases of all roles of one namespace.
 * <p>
 * All calls are made by one thread, one after the other, and take many roles at once. A
 * call returns the answer of the store, or throws {@link StoreException} within the
 * time-out of its attempt. Nothing is retried here.
 *
 * @since 0.1.0
 */
public interface LeaseStore extends AutoCloseable {

	/**
	 * Return the name of the store for display, such as {@code jdbc}.
	 * @return the name
	 */
	String name();

	/**
	 * Return the location of the store for display: addresses or a URL, without
	 * credentials.
	 * @return the location, known once the store was prepared; empty if there is none
	 */
	default String location() {
		return "";
	}

	/**
	 * Return the id of the store, which distinguishes it from others that would grant the
	 * same epochs again.
	 * @return the id, known once the store was prepared
	 */
	String storeId();

	/**
	 * Make sure that the store can be used, or throw an exception with advice. Called
	 * when the elections start.
	 */
	void prepare();

	/**
	 * Return the poll interval of free roles. It may change with what the store notifies
	 * by itself and with the cost of a poll.
	 * @return the longest time between two polls
	 */
	Duration pollInterval();

	/**
	 * Observe roles. Roles that the store does not know yet are created in it.
	 * @param roles the roles
	 * @param attempt limits of the call
	 * @return a view of each role
	 */
	List<LeaseView> observe(Collection<String> roles, Attempt attempt);

	/**
	 * Try to take roles, each only if its epoch and mark are still the observed ones and
	 * it is free, has run out, or was seen not to be renewed for all its time.
	 * @param requests what to take
	 * @param attempt limits of the call
	 * @return those that were granted
	 */
	Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt);

	/**
	 * Return the moment that a lease is counted from, which a request granted that was
	 * sent then. A store whose servers may learn of a request after one of them answered
	 * it counts from earlier.
	 * @param sentAt when the request was sent, in this call or an earlier one
	 * @return the moment, never later than when the request was sent
	 */
	default Moment countedFrom(Moment sentAt) {
		return sentAt;
	}

	/**
	 * Renew leases that are still held for their full time. A lease that has expired
	 * stays so, even if no member took it.
	 * @param leases exactly those that are intended to be held
	 * @param attempt limits of the call
	 * @return which of them are held
	 */
	Renewal renew(Collection<LeaseKey> leases, Attempt attempt);

	/**
	 * Free leases that are still held. Others are left as they are.
	 * @param leases the leases
	 * @param attempt limits of the call
	 */
	void release(Collection<LeaseKey> leases, Attempt attempt);

	/**
	 * Announce this member, and return the announcements of all members that live. Called
	 * once per ttl. A member that did not announce itself for three of its ttls is not
	 * among them; one that crashed may be until then.
	 * <p>
	 * What did not change is neither written nor read again. A store that does not know
	 * the others returns this member alone.
	 * @param self what this member says of itself
	 * @param attempt limits of the call
	 * @return what is known of each member that lives
	 */
	default Collection<Presence> announce(Presence self, Attempt attempt) {
		return List.of(self);
	}

	/**
	 * Withdraw the announcement of this member, until it announces itself again. Does
	 * nothing if there is none.
	 * @param attempt limits of the call
	 */
	default void withdraw(Attempt attempt) {
	}

	/**
	 * Set the listener for what the store notices by itself. Called once, before anything
	 * else. A store that notices nothing ignores it; then only polling finds free roles.
	 * @param listener what to call
	 */
	default void setListener(StoreListener listener) {
	}

	/**
	 * Close all resources of the store in this process. Leases stay as they are.
	 */
	@Override
	void close();

}
