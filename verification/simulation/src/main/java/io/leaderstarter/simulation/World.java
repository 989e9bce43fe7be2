package io.leaderstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * One schedule: the servers, the members, what goes wrong, and what must hold. First
 * things go wrong for a while, then nothing does any more, and the leader crashes twice.
 */
final class World {

	private static final long SECOND = 1_000_000_000;

	private static final long MILLI = 1_000_000;

	/** No request meets a fault any more. */
	private static final long NOISE_ENDS = 26 * SECOND;

	/** Whatever went wrong has ended. */
	private static final long FAULTS_END = 32 * SECOND;

	/** By then all is as if nothing ever went wrong. */
	private static final long CALM = 46 * SECOND;

	private static final long END = 60 * SECOND;

	private static final long COPY_INTERVAL = SECOND / 2;

	private static final long CHECK_INTERVAL = 100 * MILLI;

	/** More in a second is a loop that waits for nothing. */
	private static final long MOST_STEPS = 3000;

	private final Plan plan;

	private final Scheduler scheduler;

	private final History history;

	private final SplittableRandom random;

	private final Statistics statistics = new Statistics();

	private final Checks checks;

	private final LeaseServer leaseServer;

	private final FenceServer fenceServer;

	private final List<Node> nodes = new ArrayList<>();

	private final TreeMap<Long, Map<String, LeaseServer.Lease>> copies = new TreeMap<>();

	private long storeAhead;

	private boolean noiseEnded;

	/**
	 * Create a schedule.
	 * @param plan what it is like
	 * @param scheduler where it runs
	 * @param kept whether its history is kept
	 */
	World(Plan plan, Scheduler scheduler, boolean kept) {
		this.plan = plan;
		this.scheduler = scheduler;
		this.history = new History(scheduler, kept);
		this.random = new SplittableRandom(plan.seed() * 31);
		this.checks = new Checks(plan, scheduler, this.statistics);
		double rate = 1 + plan.drifts().get(Plan.NODES);
		this.leaseServer = new LeaseServer(() -> (long) (scheduler.now() * rate) + this.storeAhead, plan.showsExpiry(),
				this::onFree);
		this.fenceServer = new FenceServer(scheduler, this.checks::committed);
		this.statistics.schedules = 1;
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	History history() {
		return this.history;
	}

	Checks checks() {
		return this.checks;
	}

	Statistics statistics() {
		return this.statistics;
	}

	LeaseServer leaseServer() {
		return this.leaseServer;
	}

	FenceServer fenceServer() {
		return this.fenceServer;
	}

	/** Whether anything may still fail. */
	boolean isNoisy() {
		return !this.noiseEnded;
	}

	/**
	 * Run the schedule.
	 * @return what must not happen and has, {@code null} if all went well
	 */
	Throwable run() {
		return this.scheduler.run(END, this::begin, () -> this.checks.look(this.nodes),
				() -> this.nodes.forEach((node) -> node.host().kill()));
	}

	private void begin() {
		for (int number = 0; number < Plan.NODES; number++) {
			this.nodes.add(null);
			replace(number, this.random.nextLong(2 * SECOND));
		}
		this.plan.faults().forEach((fault) -> at(fault.at() * MILLI, () -> apply(fault)));
		at(NOISE_ENDS, this::endNoise);
		at(FAULTS_END, this::endFaults);
		at(CALM, this::calm);
		at(COPY_INTERVAL, this::copy);
		at(SECOND, () -> countSteps(0));
		if (!this.plan.showsExpiry()) {
			endLeases(0);
		}
	}

	private void at(long moment, Runnable action) {
		this.scheduler.at(moment, null, action);
	}

	private void in(long nanos, Runnable action) {
		at(this.scheduler.now() + nanos, action);
	}

	/** Start a process in place of one that has ended. */
	private void replace(int number, long delay) {
		Node node = new Node(number, this.plan, this, this.random.split());
		this.nodes.set(number, node);
		node.host().setBusy(!this.noiseEnded && this.plan.noise() > 0);
		node.store().setNoise(this.noiseEnded ? 0 : this.plan.noise());
		node.fence().setNoise(this.noiseEnded ? 0 : this.plan.noise() / 2);
		in(delay, node::start);
	}

	private void onFree() {
		if (this.plan.hints()) {
			for (Node node : this.nodes) {
				if (this.plan.noise() == 0 || this.noiseEnded || this.random.nextInt(10) > 0) {
					this.scheduler.at(this.scheduler.now() + this.random.nextLong(20 * MILLI), node.host(), node::hint);
				}
			}
		}
	}

	/** Notify members when the store has ended a lease by itself. */
	private void endLeases(long before) {
		if (this.leaseServer.hasEndedSince(before)) {
			onFree();
		}
		long now = this.leaseServer.now();
		in(CHECK_INTERVAL, () -> endLeases(now));
	}

	private void copy() {
		this.copies.put(this.scheduler.now(), this.leaseServer.copy());
		in(COPY_INTERVAL, this::copy);
	}

	private void countSteps(long before) {
		long steps = this.nodes.stream().mapToLong((node) -> node.host().steps()).sum();
		if (steps - before > MOST_STEPS) {
			throw this.checks.violated("the members made %d steps in a second".formatted(steps - before));
		}
		this.statistics.steps += Math.max(0, steps - before);
		in(SECOND, () -> countSteps(steps));
	}

	private void apply(Fault fault) {
		Node node = this.nodes.get(fault.node());
		Host host = node.host();
		long nanos = Math.abs(fault.millis()) * MILLI;
		this.history.add("", () -> "-- " + fault);
		switch (fault.kind()) {
			case PAUSE -> host.pause(nanos, false);
			case SUSPEND -> host.pause(nanos, true);
			case PAUSE_IN_STEP -> host.pauseAfterReads(1 + this.random.nextInt(30), nanos);
			case CRASH -> crash(node, nanos);
			case RESTART -> restart(node, nanos);
			case STOP_AND_START -> node.stop(true, nanos);
			case RESIGN -> node.resign(fault.role());
			case PAUSE_ROLE -> node.pauseRole(fault.role(), nanos);
			case PAUSE_ALL -> node.pauseAll(nanos);
			case LEAVE_ROLE -> node.leaveRole(fault.role(), nanos);
			case RUN_EXCLUSIVELY -> node.runExclusively(nanos);
			case STORE_CUT -> cut(List.of(node.store()), nanos);
			case STORE_SLOW -> {
				node.store().setSlow(true);
				in(nanos, () -> {
					node.store().setSlow(false);
					cut(List.of(node.store()), nanos);
				});
			}
			case FENCE_SLOW -> {
				node.fence().setSlow(true);
				in(nanos, () -> node.fence().setSlow(false));
			}
			case FENCE_CUT -> cut(List.of(node.fence()), nanos);
			case STORE_RESTART -> {
				cut(this.nodes.stream().map(Node::store).toList(), nanos);
				if (!this.plan.showsExpiry()) {
					in(nanos, this.leaseServer::prolong);
				}
			}
			case LEASE_FREED -> this.leaseServer.free(Node.NAMESPACE, fault.role());
			case STORE_CLOCK_SET -> this.storeAhead += fault.millis() * MILLI;
			case STORE_RESTORED -> restore(this.scheduler.now() - nanos);
			case WALL_CLOCK_SET -> host.setWallClock(fault.millis());
			case NO_THREADS -> {
				host.setThreadsFail(true);
				in(nanos, () -> host.setThreadsFail(false));
			}
			case HINT -> this.scheduler.at(this.scheduler.now(), host, node::hint);
			case FENCE_HELD -> this.fenceServer.hold(fault.role(), nanos);
		}
	}

	private void restore(long moment) {
		Map.Entry<Long, Map<String, LeaseServer.Lease>> copy = this.copies.floorEntry(moment);
		this.leaseServer.restore((copy != null) ? copy.getValue() : Map.of());
	}

	private void cut(List<Wire> wires, long nanos) {
		wires.forEach((wire) -> wire.setCut(true));
		in(nanos, () -> wires.forEach((wire) -> wire.setCut(false)));
	}

	private void crash(Node node, long nanos) {
		if (!node.host().isDead()) {
			node.end();
			replace(this.nodes.indexOf(node), nanos);
		}
	}

	private void restart(Node node, long nanos) {
		node.stop(false, 0);
		awaitEnd(node, nanos);
	}

	private void awaitEnd(Node node, long nanos) {
		if (this.nodes.contains(node)) {
			if (node.host().isDead()) {
				replace(this.nodes.indexOf(node), nanos);
			}
			else {
				in(100 * MILLI, () -> awaitEnd(node, nanos));
			}
		}
	}

	// After the faults

	private void endNoise() {
		this.noiseEnded = true;
		for (Node node : this.nodes) {
			node.host().setBusy(false);
			node.store().setNoise(0);
			node.fence().setNoise(0);
		}
	}

	private void endFaults() {
		this.history.add("", () -> "-- nothing goes wrong any more");
		List.of("a", "b", Node.ONCE).forEach((role) -> watchLease(role, 0));
	}

	/** A lease that no term owns is released soon, and not renewed. */
	private void watchLease(String role, long orphanedFor) {
		LeaseServer.Lease lease = this.leaseServer.held(Node.NAMESPACE, role);
		boolean orphaned = lease != null
				&& this.nodes.stream().anyMatch((node) -> node.isOrphaned(role, lease.member()));
		if (orphaned && orphanedFor > this.plan.ttl().toNanos() * 2 / 3 + SECOND) {
			throw this.checks.violated("%s holds '%s' without a term".formatted(lease.member(), role));
		}
		in(CHECK_INTERVAL, () -> watchLease(role, orphaned ? orphanedFor + CHECK_INTERVAL : 0));
	}

	private void calm() {
		if (this.plan.has(Fault.Kind.STORE_RESTORED)) {
			// Nobody may lead before a person has repaired the store.
			return;
		}
		for (String role : Plan.ROLES) {
			this.checks.isLed(role, takeOver());
		}
		this.checks.calm(this.nodes);
		for (Node node : this.nodes) {
			String left = node.leftovers();
			if (left != null) {
				throw this.checks.violated(left);
			}
		}
		if (this.leaseServer.held(Node.NAMESPACE, Node.ONCE) != null) {
			throw this.checks.violated("nobody wants '%s', and it is held".formatted(Node.ONCE));
		}
		crashLeader(2);
	}

	/** A leader crashes, and soon after that its successor. */
	private void crashLeader(int left) {
		String role = Plan.ROLES.get(0);
		this.nodes.stream().filter((node) -> node.leads(role) != null).findFirst().ifPresent((leader) -> {
			this.history.add(leader, () -> "-- crashes");
			leader.end();
		});
		long bound = takeOver() + ((left == 1) ? this.plan.ttl().toNanos() / 4 : 0);
		int refused = this.plan.fenced() ? this.random.nextInt(3) : 0;
		this.nodes.forEach((node) -> node.fence().refuse(refused));
		if (refused > 0) {
			bound += this.plan.ttl().toNanos();
		}
		awaitLeader(role, this.scheduler.now() + bound, left);
	}

	/**
	 * How long nobody may lead: the lease has to run out, and whoever is not preferred
	 * lets others go first.
	 */
	private long takeOver() {
		long bound = this.plan.ttl().toNanos() * 4 / 3 + SECOND / 2;
		boolean seen = this.plan.showsExpiry() || this.plan.hints();
		return seen ? bound : bound + this.plan.pollInterval().toNanos();
	}

	private void awaitLeader(String role, long end, int left) {
		Node leader = this.nodes.stream().filter((node) -> node.leads(role) != null).findFirst().orElse(null);
		boolean led = leader != null;
		if (led && left > 1) {
			if (this.random.nextInt(3) == 0) {
				// It lets the other one go first for longer than a lease.
				leader.resign(role);
			}
			in(this.random.nextLong(this.plan.ttl().toNanos() / 2), () -> crashLeader(left - 1));
		}
		else if (!led && this.scheduler.now() >= end) {
			this.checks.isLed(role, 0);
		}
		else if (!led) {
			in(10 * MILLI, () -> awaitLeader(role, end, left));
		}
	}

}
