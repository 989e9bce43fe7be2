package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A member as the contract tests see it: an id and the store that it uses. It does one
 * call per method and has no opinion.
 *
 * @param identity who it is
 * @param store what it uses
 */
public record StoreMember(StoreIdentity identity, LeaseStore store) {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	/**
	 * Begins a call that has all the time it needs.
	 * @return limits of a call
	 */
	public static Attempt attempt() {
		return new Attempt(TimeSource.SYSTEM.now(), TIMEOUT);
	}

	/**
	 * Returns whether others may take the role.
	 * @param view what the store said about it
	 * @return whether it is free or has run out
	 */
	public static boolean isTakeable(LeaseView view) {
		LeaseView.Owner owner = view.owner();
		return owner == null || (owner.expiry() != null && owner.expiry().remaining().compareTo(Duration.ZERO) <= 0);
	}

	public String id() {
		return this.identity.member();
	}

	public LeaseView observe(String role) {
		return observe(List.of(role)).get(role);
	}

	public Map<String, LeaseView> observe(Collection<String> roles) {
		Map<String, LeaseView> views = new LinkedHashMap<>();
		for (LeaseView view : this.store.observe(roles, attempt())) {
			assertThat(views.put(view.role(), view)).as("first view of " + view.role()).isNull();
		}
		assertThat(views.keySet()).containsExactlyInAnyOrderElementsOf(Set.copyOf(roles));
		return views;
	}

	/** A request for a role as it was seen. */
	public static LeaseRequest request(LeaseView view) {
		LeaseView.Owner owner = view.owner();
		return new LeaseRequest(view.role(), view.epoch(), UUID.randomUUID().toString(),
				(owner != null && owner.expiry() != null) ? owner.expiry().mark() : null, false);
	}

	/** Asks for roles whatever their state is, and returns what was granted. */
	public Set<LeaseKey> tryToTake(String... roles) {
		return acquire(
				observe(List.of(roles)).values().stream().map(StoreMember::request).toArray(LeaseRequest[]::new));
	}

	/**
	 * Takes a role that is free. A store that has had no answer for a while may ask for
	 * nothing at first, so this polls and asks again, as a candidate does.
	 */
	public LeaseKey take(String role) {
		return await("granted to %s for %s".formatted(id(), role)).pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(30))
			.until(() -> tryToTake(role), (granted) -> granted.size() == 1)
			.iterator()
			.next();
	}

	public Set<LeaseKey> acquire(LeaseRequest... requests) {
		return this.store.acquire(List.of(requests), attempt());
	}

	/** Renews leases and returns those that the store says are held. */
	public Set<LeaseKey> renew(LeaseKey... leases) {
		return this.store.renew(List.of(leases), attempt()).renewed();
	}

	public void release(LeaseKey... leases) {
		this.store.release(List.of(leases), attempt());
	}

	/** Says something of itself, and returns what all say that live, by member. */
	public Map<String, String> announce(String text) {
		Map<String, String> said = new LinkedHashMap<>();
		for (Presence presence : this.store.announce(new Presence(id(), text), attempt())) {
			assertThat(said.put(presence.member(), presence.text())).as("first of " + presence.member()).isNull();
		}
		return said;
	}

	public void withdraw() {
		this.store.withdraw(attempt());
	}

}
