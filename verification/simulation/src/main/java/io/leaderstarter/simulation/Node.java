package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.Registration;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStores;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * A process with the elections of the product in it, and an application that works under
 * their terms.
 */
final class Node {

	static final String NAMESPACE = "simulation";

	/** The role that nobody joins. */
	static final String ONCE = "once";

	private static final Duration FENCE_TIMEOUT = Duration.ofSeconds(2);

	/** Longer than a lease, which is renewed meanwhile. */
	private static final Duration RAISE_TIMEOUT = Duration.ofSeconds(5);

	private static final long RESTART_DELAY = 500_000_000;

	private final int number;

	private final Plan plan;

	private final World world;

	private final Host host;

	private final SplittableRandom random;

	private final Wire store;

	private final Wire fence;

	private final DefaultLeaderElections elections;

	/** The store of the last start. */
	private LeaseClient client;

	private final List<ActiveTerm> calls = new ArrayList<>();

	/** Whether it is being started or stopped, by the one thread that does that. */
	private boolean busy = true;

	Node(int number, Plan plan, World world, SplittableRandom random) {
		this.number = number;
		this.plan = plan;
		this.world = world;
		this.random = random;
		this.host = new Host("n" + number, world.scheduler(), random.split(), plan.drifts().get(number));
		this.store = new Wire("store", world.scheduler(), this.host, random.split(), world.history());
		this.fence = new Wire("fence", world.scheduler(), this.host, random.split(), world.history());
		LeaseTiming timing = LeaseTiming.of(plan.ttl(), null, null);
		ElectionSettings.Role role = new ElectionSettings.Role(true, plan.priorities().get(number),
				plan.yieldAfterFailures());
		this.elections = new DefaultLeaderElections(
				() -> new Member("n" + number + "-" + this.host.randomId(), Map.of()),
				new LeaseStores("simulated", this::createStore, false), plan.fenced() ? new Gate() : TermGate.OPEN,
				new ElectionSettings(timing, plan.drainTimeout(), plan.placement(), (name) -> role), this.host,
				new Calls(List::of, List::of));
		this.elections.addListener(new Listener());
		Plan.ROLES.forEach(this.elections::join);
	}

	private LeaseStore createStore(Member member) {
		this.client = new LeaseClient(new StoreIdentity(NAMESPACE, member.id(), this.plan.ttl()),
				this.world.leaseServer(), this.store, this.host::nanoTime, this.plan.pollInterval());
		return this.client;
	}

	Host host() {
		return this.host;
	}

	Wire store() {
		return this.store;
	}

	Wire fence() {
		return this.fence;
	}

	/** Notify it that a role may be free. */
	void hint() {
		if (this.client != null) {
			this.client.hint();
		}
	}

	/** The term that it leads a role with, {@code null} if it does not. */
	Leadership leads(String role) {
		if (this.host.isDead()) {
			return null;
		}
		RoleElection election = this.elections.find(role).orElse(null);
		if (election != null) {
			Leadership term = this.host.observe(() -> election.leadership().orElse(null));
			if (term != null) {
				return term;
			}
		}
		for (ActiveTerm call : this.calls) {
			if (call.leadership().role().equals(role) && this.host.observe(call::isValid)) {
				return call.leadership();
			}
		}
		return null;
	}

	// What people do to it

	/** Start the process. If that fails, it is tried again, as an orchestrator would. */
	void start() {
		this.host.run(() -> {
			startElections();
			workLater();
			workLater();
		});
	}

	private void startElections() {
		this.busy = true;
		while (true) {
			try {
				this.elections.start();
				break;
			}
			catch (RuntimeException ex) {
				this.host.sleep(RESTART_DELAY);
			}
		}
		this.elections.compete();
		this.busy = false;
	}

	/** Stop the elections, and start them again or end the process. */
	void stop(boolean again, long nanos) {
		if (this.busy) {
			return;
		}
		this.busy = true;
		this.host.run(() -> {
			this.elections.stop();
			if (again) {
				this.host.sleep(nanos);
				startElections();
			}
			else {
				end();
			}
		});
	}

	/** End the process at once. */
	void end() {
		this.world.checks().ended(this);
		this.host.kill();
		this.world.fenceServer().disconnect(this.host);
	}

	void resign(String role) {
		this.host.run(() -> this.elections.find(role).ifPresent(RoleElection::resign));
	}

	void pauseRole(String role, long nanos) {
		this.host.run(() -> {
			this.elections.find(role).ifPresent(RoleElection::pause);
			this.host.sleep(nanos);
			this.elections.find(role).ifPresent(RoleElection::resume);
		});
	}

	void pauseAll(long nanos) {
		this.host.run(() -> {
			this.elections.pause();
			this.host.sleep(nanos);
			this.elections.resume();
		});
	}

	void leaveRole(String role, long nanos) {
		this.host.run(() -> {
			this.elections.leave(role);
			this.host.sleep(nanos);
			this.elections.join(role);
		});
	}

	/** Wait for a role that is not joined, and work once. */
	void runExclusively(long nanos) {
		if (this.busy) {
			return;
		}
		this.host.run(() -> {
			try {
				this.elections.runExclusively(ONCE, Duration.ofNanos(nanos), () -> step(LeaderContext.terms().get(0)));
			}
			catch (InterruptedException | RuntimeException ex) {
				// It has lost the role, or failed.
			}
		});
	}

	/** Whether it does not know of a lease that it holds. */
	boolean isOrphaned(String role, String holder) {
		return !this.host.isDead() && this.client != null && this.client.member().equals(holder)
				&& this.host.observe(() -> this.elections.find(role)
					.map((election) -> this.elections.status(election).state().equals("FOLLOWER"))
					.orElse(true));
	}

	/** What is left that should not be, {@code null} if nothing is. */
	String leftovers() {
		if (this.elections.all().size() != Plan.ROLES.size()) {
			return this + " still knows " + this.elections.all();
		}
		return null;
	}

	// The application

	private void workLater() {
		this.host.run(100_000_000 + this.random.nextLong(2_000_000_000), () -> {
			if (!this.busy) {
				this.elections.find(Plan.ROLES.get(this.random.nextInt(Plan.ROLES.size()))).ifPresent(this::work);
			}
			workLater();
		});
	}

	private void work(RoleElection election) {
		RoleCall call = (this.random.nextInt(4) > 0) ? election.enter()
				: election.enter(Duration.ofNanos(this.random.nextLong(2_000_000_000)), this.random.nextBoolean());
		if (call == null) {
			return;
		}
		this.world.statistics().calls++;
		try {
			this.elections.calls().run(call, Node.class, "work", () -> {
				step(call);
				return null;
			});
		}
		catch (Scheduler.Killed ex) {
			throw ex;
		}
		catch (Throwable ex) {
			// It has lost the role, or failed.
		}
	}

	/** Work for a while, then commit if the fence lets it. */
	private void step(ActiveTerm call) {
		this.calls.add(call);
		Registration cancelled = call.onCancel(() -> record("cancels work for " + call.leadership().role()));
		try {
			this.host.sleep(1 + (long) (Math.pow(this.random.nextDouble(), 4) * 6e9));
			if (this.random.nextInt(10) == 0 && this.world.isNoisy()) {
				throw new IllegalStateException("failed");
			}
			if (this.plan.fenced()) {
				commit(call);
			}
		}
		finally {
			cancelled.close();
			this.calls.remove(call);
		}
	}

	private void commit(ActiveTerm call) {
		// Some resources know nothing but the fence.
		boolean asks = this.random.nextBoolean();
		if (asks && !call.isValid()) {
			throw new StaleLeaderException(call.leadership());
		}
		FenceServer.Transaction transaction = this.fence.exchange("check", FENCE_TIMEOUT,
				(reply) -> this.world.fenceServer().check(this.host, call.leadership(), reply));
		if (transaction == null) {
			if (call.isValid()) {
				this.world.statistics().refused++;
			}
			this.elections.election(call.leadership().role()).refusedByFence(call.leadership());
			throw new StaleLeaderException(call.leadership());
		}
		if (this.random.nextInt(4) == 0 && this.world.isNoisy()) {
			this.host.sleep(this.random.nextLong(3_000_000_000L));
		}
		if (asks && !call.isValid()) {
			transaction.end();
			throw new StaleLeaderException(call.leadership());
		}
		this.fence.call("commit", FENCE_TIMEOUT, transaction::commit);
	}

	private void record(String what) {
		this.world.history().add(this, () -> what);
	}

	@Override
	public String toString() {
		return "n" + this.number;
	}

	/** Raises the fence. */
	private final class Gate implements TermGate {

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			return Node.this.fence.call("read", FENCE_TIMEOUT, () -> Node.this.world.fenceServer().read(roles));
		}

		@Override
		public void open(Leadership leadership) {
			boolean raised = Node.this.fence.exchange("raise", RAISE_TIMEOUT,
					(reply) -> Node.this.world.fenceServer().raise(leadership, reply));
			if (!raised) {
				throw new IllegalStateException("The fence has seen a later epoch");
			}
		}

	}

	/** Listens as an application does. */
	private final class Listener implements LeadershipListener {

		@Override
		public void onGranted(Leadership leadership) {
			record("is notified: granted " + leadership.role() + " " + leadership.epoch());
			Node.this.world.checks().granted(Node.this, leadership);
		}

		@Override
		public void onRevoked(Leadership leadership, RevocationReason reason) {
			record("is notified: revoked " + leadership.role() + " " + leadership.epoch() + " " + reason);
			Node.this.world.statistics().lost(reason);
			Node.this.world.checks().revoked(Node.this, leadership, reason);
		}

	}

}
