package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Keeps the leases of all roles of one namespace.
 * <p>
 * All calls are made by one thread, one after the other, and take many roles at once. A
 * call returns what the store said, or throws {@link StoreException} within the time-out
 * of its attempt. Nothing is retried here.
 *
 * @since 0.1.0
 */
public interface LeaseStore extends AutoCloseable {

	/**
	 * Return what people know the store by, such as {@code jdbc}.
	 * @return the name
	 */
	String name();

	/**
	 * Return where the store is, as people know it: addresses or a URL, without
	 * credentials.
	 * @return the place, known once the store was prepared; empty if there is none to
	 * tell
	 */
	default String location() {
		return "";
	}

	/**
	 * Return what tells this store from others that would give out the same epochs again.
	 * @return the identity of the store, known once it was prepared
	 */
	String storeId();

	/**
	 * Create sure that the store can be used, or throws an exception that says what to
	 * do. Called when the elections start.
	 */
	void prepare();

	/**
	 * Return the longest time to wait before looking again whether a role became free. It
	 * may change with what the store can tell by itself and with what a look costs.
	 * @return the time between two observations
	 */
	Duration pollInterval();

	/**
	 * Poll at roles. Roles that the store does not know yet are made known to it.
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
	 * sent then. A store whose server may hear later of us than it answers counts from
	 * earlier.
	 * @param sentAt when the request was sent, in this call or an earlier one
	 * @return the moment, never later than when the request was sent
	 */
	default Moment countedFrom(Moment sentAt) {
		return sentAt;
	}

	/**
	 * Give leases that are still held their full time again. What has run out stays so,
	 * even if nobody took it.
	 * @param leases exactly those that are meant to be held
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
	 * Say that this member lives, and what it says of itself, and returns what all say
	 * that live. Called once per ttl. A member that was not heard of for three of its
	 * ttls is not among them, and one whose process ended may be until then.
	 * <p>
	 * What did not change is neither written nor read again. A store that knows of no
	 * others returns this member alone.
	 * @param self what this member says of itself
	 * @param attempt limits of the call
	 * @return what is known of each member that lives
	 */
	default Collection<Presence> announce(Presence self, Attempt attempt) {
		return List.of(self);
	}

	/**
	 * Say that this member takes part no more, until it announces itself again. Does
	 * nothing if it did not.
	 * @param attempt limits of the call
	 */
	default void withdraw(Attempt attempt) {
	}

	/**
	 * Register who is told what the store notices by itself. Called once, before anything
	 * else. A store that notices nothing ignores it; the poll interval counts then.
	 * @param listener what to call
	 */
	default void setListener(StoreListener listener) {
	}

	/**
	 * Give up all that the store holds open in this process. Leases stay as they are.
	 */
	@Override
	void close();

}
