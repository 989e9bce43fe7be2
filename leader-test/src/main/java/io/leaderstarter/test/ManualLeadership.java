package io.leaderstarter.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Supplier;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.LeaseTiming;
import io.leaderstarter.election.spi.TermGate;

/**
 * Decides who leads, in the place of a backend. Inject it into a test.
 * <p>
 * Elections, fences, events and all else work as in production; only the store is played
 * by the test. Its time stands still, so nothing runs out that was not made to. Whatever
 * is not granted is led by another member. What a method says is so when it returns.
 *
 * @since 0.1.0
 */
public final class ManualLeadership {

	/** In leases: no member stands aside for longer. */
	private static final int LONGEST_PAUSE = 100;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Supplier<? extends LeaderElections> elections;

	private final ManualLeaseStore store;

	private final ManualTime time;

	private final LeaseTiming timing;

	private final Supplier<TermGate> gate;

	ManualLeadership(Supplier<? extends LeaderElections> elections, ManualLeaseStore store, ManualTime time,
			LeaseTiming timing, Supplier<TermGate> gate) {
		this.elections = elections;
		this.store = store;
		this.time = time;
		this.timing = timing;
		this.gate = gate;
	}

	/**
	 * Makes this member lead a role, under a new epoch if it did not.
	 * @param role the role
	 * @throws IllegalArgumentException if this member did not join the role
	 * @throws IllegalStateException if it does not stand for it
	 */
	public void grant(String role) {
		LeaderElection election = this.elections.get().election(role);
		this.store.give(role);
		awaitLeader(election);
	}

	/**
	 * Makes this member lead all roles, also those that it joins later.
	 */
	public void grantEverything() {
		this.store.giveEverything();
		this.elections.get().all().forEach(this::awaitLeader);
	}

	/**
	 * Lets another member lead a role, and this member learn it by its next renewal. Time
	 * moves on by a renew interval.
	 * @param role the role
	 */
	public void revoke(String role) {
		LeaderElection election = this.elections.get().election(role);
		this.store.take(role);
		settle(election);
	}

	/**
	 * Lets the lease of a role run out behind the back of this member, as if it had been
	 * paused for too long: another member leads, its epoch is in the fences, and this one
	 * has not noticed. What it still writes to a fenced database is refused. It notices
	 * when time moves on.
	 * @param role the role
	 * @throws IllegalStateException if this member does not lead it
	 */
	public void expire(String role) {
		if (!this.elections.get().election(role).isLeader()) {
			throw new IllegalStateException("This member does not lead '%s', so no lease can run out".formatted(role));
		}
		long epoch = this.store.take(role);
		this.gate.get()
			.open(new Leadership(role, epoch, ManualLeaseStore.OTHER_MEMBER, ManualLeaseStore.OTHER_MEMBER,
					Instant.ofEpochMilli(this.time.currentTimeMillis())));
	}

	/**
	 * Lets no request of this member through. Its terms end when time moves on by more
	 * than a ttl.
	 */
	public void disconnect() {
		this.store.setReachable(false);
	}

	/**
	 * Lets requests through again.
	 */
	public void reconnect() {
		this.store.setReachable(true);
		this.store.wake();
	}

	/**
	 * Moves time on. This member renews its leases meanwhile, as often as it would.
	 * @param duration how far
	 */
	public void advance(Duration duration) {
		Duration left = duration;
		while (left.compareTo(Duration.ZERO) > 0) {
			Duration interval = this.timing.renewInterval();
			Duration step = (left.compareTo(interval) < 0) ? left : interval;
			int renewals = this.store.renewals();
			boolean renews = this.store.holdsAny() && step.equals(interval);
			this.time.pass(step);
			this.store.wake();
			if (renews) {
				await(() -> this.store.renewals() > renewals || isFollower(),
						"This member did not renew its leases in time");
			}
			left = left.minus(step);
		}
	}

	/**
	 * Lets another member lead all roles, and requests through. Called before each test.
	 */
	public void reset() {
		reconnect();
		this.store.takeEverything();
		this.elections.get().all().forEach(this::settle);
		// Nobody stands aside any longer because of what an earlier test did.
		this.time.pass(this.timing.ttl().multipliedBy(LONGEST_PAUSE));
	}

	/** Lets this member notice that it does not lead a role any more. */
	private void settle(LeaderElection election) {
		if (election.isLeader()) {
			this.time.pass(this.timing.renewInterval());
			this.store.wake();
			await(() -> !election.isLeader(), "This member did not notice that it leads '%s' no more", election.role());
		}
	}

	private void awaitLeader(LeaderElection election) {
		this.store.wake();
		try {
			if (election.await(PATIENCE).isEmpty()) {
				throw new IllegalStateException(
						("This member does not begin to lead '%s'. It does not if it is no candidate, "
								+ "is paused, has resigned a short while ago (move time on), still runs a call of an earlier term, "
								+ "or if a fence cannot be raised; the log says more")
							.formatted(election.role()));
			}
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	private boolean isFollower() {
		Collection<LeaderElection> all = this.elections.get().all();
		return all.stream().noneMatch(LeaderElection::isLeader);
	}

	private static void await(Supplier<Boolean> condition, String otherwise, Object... arguments) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.get()) {
			if (System.nanoTime() - end > 0) {
				throw new IllegalStateException(otherwise.formatted(arguments));
			}
			try {
				Thread.sleep(1);
			}
			catch (InterruptedException ex) {
				throw interrupted(ex);
			}
		}
	}

	private static IllegalStateException interrupted(InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new IllegalStateException("The test was interrupted while it waited for an election", ex);
	}

}
