package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreListener;
import org.jspecify.annotations.Nullable;

/**
 * A store that is made anew for every start of the elections, for a member of that start.
 * While the elections are stopped nothing of it is open, and what it knew of its leases
 * is forgotten. So an application can be stopped and started again, and go on from a
 * checkpoint in one process or in many.
 *
 * @since 0.1.0
 */
public final class RenewedLeaseStore implements LeaseStore {

	private final CurrentMember member;

	private final Function<Member, LeaseStore> maker;

	private volatile LeaseStore store;

	private @Nullable StoreListener listener;

	/**
	 * Makes the store.
	 * @param member who this process is
	 * @param maker makes a store that keeps leases of a member
	 */
	public RenewedLeaseStore(CurrentMember member, Function<Member, LeaseStore> maker) {
		this.member = member;
		this.maker = maker;
		this.store = maker.apply(member.get());
	}

	@Override
	public void prepare() {
		this.store.close();
		LeaseStore made = this.maker.apply(this.member.startAgain());
		if (this.listener != null) {
			made.setListener(this.listener);
		}
		this.store = made;
		made.prepare();
	}

	@Override
	public void rest() {
		this.store.close();
	}

	@Override
	public void setListener(StoreListener listener) {
		this.listener = listener;
		this.store.setListener(listener);
	}

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public String location() {
		return this.store.location();
	}

	@Override
	public String authority() {
		return this.store.authority();
	}

	@Override
	public Duration pollInterval() {
		return this.store.pollInterval();
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		return this.store.observe(roles, attempt);
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		return this.store.acquire(requests, attempt);
	}

	@Override
	public Moment countedFrom(Moment sentAt) {
		return this.store.countedFrom(sentAt);
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return this.store.renew(leases, attempt);
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.store.release(leases, attempt);
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return this.store.announce(self, attempt);
	}

	@Override
	public void withdraw(Attempt attempt) {
		this.store.withdraw(attempt);
	}

	@Override
	public void close() {
		this.store.close();
	}

}
