package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStores;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * A member of a {@link SimulatedCluster}, with faults of its requests that a test decides
 * on.
 */
final class SimulatedMember {

	private static final List<String> ALL = List.of("observe", "acquire", "renew", "release", "announce");

	private final SimulatedCluster cluster;

	private final Settings settings;

	private final Host host;

	private final Wire wire;

	private final DefaultLeaderElections elections;

	private final List<String> notified = new ArrayList<>();

	private final Map<String, Integer> requests = new TreeMap<>();

	private final Map<String, Fault> faults = new TreeMap<>();

	private SimulatedMember(Settings settings) {
		this.settings = settings;
		this.cluster = settings.cluster;
		String name = "member-" + this.cluster.add(this);
		this.host = new Host(name, this.cluster.scheduler(), this.cluster.random().split(), 0);
		this.wire = new Wire("store", this.cluster.scheduler(), this.host, this.cluster.random().split(),
				new History(this.cluster.scheduler(), false));
		ElectionSettings.Role role = new ElectionSettings.Role(true, settings.priority, 0);
		this.elections = new DefaultLeaderElections(() -> new Member(name + "-" + this.host.randomId(), Map.of()),
				new LeaseStores("simulated", this::createStore, false), settings.gate,
				new ElectionSettings(settings.timing, settings.drainTimeout, settings.placement, (any) -> role),
				this.host, new Calls(List::of, List::of));
		this.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				SimulatedMember.this.notified.add("granted " + leadership.epoch());
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				SimulatedMember.this.notified.add("revoked " + leadership.epoch() + " " + reason);
			}

		});
	}

	private LeaseStore createStore(Member member) {
		return this.settings.adapter.apply(
				new LeaseClient(new StoreIdentity(SimulatedCluster.NAMESPACE, member.id(), this.settings.timing.ttl()),
						this.cluster.server(), this::call, this.host::nanoTime, this.settings.pollInterval));
	}

	private <T> T call(String request, Duration timeout, Supplier<T> effect) {
		this.requests.merge(request, 1, Integer::sum);
		this.settings.before.getOrDefault(request, () -> {
		}).run();
		Fault fault = this.faults.get(request);
		if (fault == null) {
			return this.wire.call(request, timeout, effect);
		}
		return switch (fault) {
			case LOSE_REQUEST -> throw new StoreException("The request was lost", null);
			case LOSE_ANSWER -> {
				this.wire.call(request, timeout, effect);
				throw new StoreException("The answer was lost", null);
			}
			case HANG -> {
				this.cluster.hangWhile(() -> this.faults.get(request) == fault);
				throw new StoreException("The request hung", null);
			}
			case ANSWER_LATE -> {
				T answer = this.wire.call(request, timeout, effect);
				this.cluster.hangWhile(() -> this.faults.get(request) == fault);
				yield answer;
			}
		};
	}

	Host host() {
		return this.host;
	}

	/** Its way to the store. */
	Wire wire() {
		return this.wire;
	}

	DefaultLeaderElections elections() {
		return this.elections;
	}

	String id() {
		return this.elections.member().id();
	}

	RoleElection election(String role) {
		return this.elections.election(role);
	}

	RoleStatus status(String role) {
		return this.elections.status(role);
	}

	boolean leads(String role) {
		return this.elections.find(role).filter(RoleElection::isLeader).isPresent();
	}

	/** What it was notified of. */
	List<String> notified() {
		return this.notified;
	}

	/** From now on, every request of this kind meets the fault. */
	void fail(String request, Fault fault) {
		this.faults.put(request, fault);
	}

	void failAll(Fault fault) {
		ALL.forEach((request) -> fail(request, fault));
	}

	/** End all faults, and let go on what hangs. */
	void heal() {
		this.faults.clear();
	}

	/** How many requests of this kind it has made. */
	int requests(String request) {
		return this.requests.getOrDefault(request, 0);
	}

	void begin() {
		this.elections.start();
		this.elections.compete();
	}

	@Override
	public String toString() {
		return this.host + " " + this.notified;
	}

	/** What happens to a request. */
	enum Fault {

		/** It never reaches the store, and that is known at once. */
		LOSE_REQUEST,

		/** It takes effect, but is never answered. */
		LOSE_ANSWER,

		/** The thread that makes it is stuck until it is healed. */
		HANG,

		/** It takes effect, and the answer comes when it is healed. */
		ANSWER_LATE

	}

	/** How a member takes part. */
	static final class Settings {

		private final SimulatedCluster cluster;

		private final Map<String, Runnable> before = new TreeMap<>();

		private LeaseTiming timing = SimulatedCluster.LASTING;

		private Duration pollInterval = SimulatedCluster.POLL;

		private Duration drainTimeout = Duration.ofSeconds(5);

		private Placement placement = Placement.FIRST_COME;

		private int priority;

		private TermGate gate = TermGate.OPEN;

		private UnaryOperator<LeaseStore> adapter = UnaryOperator.identity();

		Settings(SimulatedCluster cluster) {
			this.cluster = cluster;
		}

		Settings timing(LeaseTiming timing) {
			this.timing = timing;
			return this;
		}

		Settings pollInterval(Duration pollInterval) {
			this.pollInterval = pollInterval;
			return this;
		}

		Settings drainTimeout(Duration drainTimeout) {
			this.drainTimeout = drainTimeout;
			return this;
		}

		Settings placement(Placement placement) {
			this.placement = placement;
			return this;
		}

		Settings priority(int priority) {
			this.priority = priority;
			return this;
		}

		Settings gate(TermGate gate) {
			this.gate = gate;
			return this;
		}

		/** Make another store of the simulated one. */
		Settings adapter(UnaryOperator<LeaseStore> adapter) {
			this.adapter = adapter;
			return this;
		}

		/** Do something whenever a request of this kind is about to be sent. */
		Settings before(String request, Runnable action) {
			this.before.put(request, action);
			return this;
		}

		/** Make a member as it is before its application has started. */
		SimulatedMember make(String... roles) {
			SimulatedMember member = new SimulatedMember(this);
			for (String role : roles) {
				member.elections.join(role);
			}
			return member;
		}

		/** Start a member that competes for roles. */
		SimulatedMember start(String... roles) {
			SimulatedMember member = make(roles);
			member.begin();
			return member;
		}

	}

}
