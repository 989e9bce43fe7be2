package io.leaderstarter.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * Decides who leads, in the place of a backend. Inject it into a test.
 * <p>
 * Elections, fences, events and all else work as in production; only the store is played
 * by the test. Its time does not pass by itself, unless something failed and has to be
 * retried, so nothing expires that was not made to. Whatever is not granted is led by
 * another member. What a method says is so when it returns.
 *
 * @since 0.1.0
 */
public final class ManualLeadership {

	/** In leases: no member backs off for longer. */
	private static final int LONGEST_PAUSE = 100;

	private static final Set<String> ON_THE_WAY = Set.of("ACQUIRED", "RELEASING");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Supplier<DefaultLeaderElections> elections;

	private final ManualLeaseStore store;

	private final ManualTime time;

	private final LeaseTiming timing;

	private final Supplier<TermGate> gate;

	private final AtomicInteger renewals = new AtomicInteger();

	private boolean counting;

	/** How far time was moved since a renewal was waited for. */
	private Duration sinceRenewal = Duration.ZERO;

	/** How many renewals there had been by then. */
	private int renewalsBefore;

	ManualLeadership(Supplier<DefaultLeaderElections> elections, ManualLeaseStore store, ManualTime time,
			LeaseTiming timing, Supplier<TermGate> gate) {
		this.elections = elections;
		this.store = store;
		this.time = time;
		this.timing = timing;
		this.gate = gate;
	}

	/**
	 * Make this member lead a role, under a new epoch if it did not.
	 * @param role the role
	 * @throws IllegalArgumentException if this member did not join the role
	 * @throws IllegalStateException if it does not compete for it
	 */
	public void grant(String role) {
		LeaderElection election = this.elections.get().election(role);
		if (!this.store.holds(role)) {
			settle(election);
		}
		this.store.give(role);
		awaitLeader(election);
	}

	/**
	 * Make this member lead all roles, also those that it joins later. Roles that it is
	 * no candidate for by its properties are left out.
	 */
	public void grantEverything() {
		DefaultLeaderElections all = this.elections.get();
		all.all().stream().filter((election) -> !this.store.holds(election.role())).forEach(this::settle);
		this.store.giveEverything();
		all.all().stream().filter((election) -> all.isCandidate(election.role())).forEach(this::awaitLeader);
	}

	/**
	 * Let another member lead a role, and this member learn it by its next renewal. Time
	 * moves on by a renew interval.
	 * @param role the role
	 */
	public void revoke(String role) {
		LeaderElection election = this.elections.get().election(role);
		this.store.take(role);
		settle(election);
	}

	/**
	 * Let the lease of a role run out behind the back of this member, as if it had been
	 * paused for too long: another member leads, its epoch is in the fences, and this one
	 * has not noticed. What it still writes to a fenced database is refused. It notices
	 * by such a refusal, or when time moves on.
	 * <p>
	 * A transaction is refused when it commits, which one of the test itself
	 * ({@code @Transactional} on the test) does not do. The log warns of that.
	 * @param role the role
	 * @throws IllegalStateException if this member does not lead it
	 */
	public void expire(String role) {
		TestTransactions.warnIfActive(role);
		if (!this.elections.get().election(role).isLeader()) {
			throw new IllegalStateException("This member does not lead '%s', so no lease can run out".formatted(role));
		}
		long epoch = this.store.take(role);
		this.gate.get()
			.open(new Leadership(role, epoch, ManualLeaseStore.OTHER_MEMBER, ManualLeaseStore.OTHER_MEMBER,
					Instant.ofEpochMilli(this.time.currentTimeMillis())));
	}

	/**
	 * Let no request of this member through. Its terms end when time moves on by more
	 * than a ttl.
	 */
	public void disconnect() {
		this.store.setReachable(false);
	}

	/**
	 * Let requests through again.
	 */
	public void reconnect() {
		this.store.setReachable(true);
		this.store.wake();
	}

	/**
	 * Move time on. This member renews its leases meanwhile, as often as it would.
	 * @param duration how far
	 */
	public void advance(Duration duration) {
		count();
		awaitRest();
		Duration left = duration;
		while (left.compareTo(Duration.ZERO) > 0) {
			Duration untilRenewal = this.timing.renewInterval().minus(this.sinceRenewal);
			Duration step = (left.compareTo(untilRenewal) < 0) ? left : untilRenewal;
			pass(step);
			left = left.minus(step);
		}
	}

	private void pass(Duration step) {
		boolean leads = leadsAny();
		this.time.pass(step);
		this.sinceRenewal = this.sinceRenewal.plus(step);
		this.store.wake();
		if (this.sinceRenewal.compareTo(this.timing.renewInterval()) >= 0) {
			if (leads) {
				// It may have been a little early, in an earlier step.
				await(() -> this.renewals.get() > this.renewalsBefore || !leadsAny(),
						"This member did not renew its leases in time");
			}
			renewedNow();
		}
		awaitRest();
	}

	/**
	 * Let another member lead all roles, and requests through, and resumes what was
	 * paused. Called before each test.
	 */
	public void reset() {
		reconnect();
		this.store.takeEverything();
		this.elections.get().all().forEach(this::settle);
		awaitRest();
		// An earlier test may have made members back off.
		this.time.pass(this.timing.ttl().multipliedBy(LONGEST_PAUSE));
		this.elections.get().resume();
	}

	/** Let this member notice that it does not lead a role any more. */
	private void settle(LeaderElection election) {
		if (election.isLeader()) {
			this.time.pass(this.timing.renewInterval());
			this.store.wake();
			await(() -> !election.isLeader() || this.store.holds(election.role()),
					"This member did not notice that it leads '%s' no more", election.role());
		}
	}

	/**
	 * Wait until no role is on its way in or out, as what has to wait for a time counts
	 * it from then.
	 */
	private void awaitRest() {
		DefaultLeaderElections all = this.elections.get();
		await(() -> all.all()
			.stream()
			.noneMatch((election) -> ON_THE_WAY.contains(all.status(election.role()).state())),
				"A role is neither taken nor released in time; the log says why");
	}

	private boolean leadsAny() {
		return this.elections.get().all().stream().anyMatch(LeaderElection::isLeader);
	}

	/** Renewals are counted when this member knows what came of them. */
	private void count() {
		if (!this.counting) {
			this.counting = true;
			this.elections.get().addRequestListener((request, took, answered) -> {
				if (request.equals("renew")) {
					this.renewals.incrementAndGet();
				}
			});
		}
	}

	private void renewedNow() {
		this.sinceRenewal = Duration.ZERO;
		this.renewalsBefore = this.renewals.get();
	}

	private void awaitLeader(LeaderElection election) {
		awaitRest();
		renewedNow();
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
