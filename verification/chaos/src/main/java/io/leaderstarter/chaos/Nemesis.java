package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.leaderstarter.chaos.Plan.Fault;
import io.leaderstarter.testsupport.FakeClock;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.OwnServer;
import org.jspecify.annotations.Nullable;

/**
 * Does to members and servers what a {@link Plan} says.
 */
final class Nemesis {

	private static final Duration LATE = Duration.ofMillis(600);

	private static final int HOUR_MINUTES = 60;

	private final List<Member> members;

	private final OwnServer database;

	private final @Nullable FakeClock databaseClock;

	private final Coordinator coordinator;

	/** By whom a role is led, as far as it is known. */
	private final RoleLeaders leaders;

	private final List<Integer> affected = new ArrayList<>();

	Nemesis(List<Member> members, OwnServer database, @Nullable FakeClock databaseClock, Coordinator coordinator,
			RoleLeaders leaders) {
		this.members = members;
		this.database = database;
		this.databaseClock = databaseClock;
		this.coordinator = coordinator;
		this.leaders = leaders;
	}

	/**
	 * Sets all clocks of members right. The store of ZooKeeper reads the clocks of the
	 * machine, too, and would count leases by two clocks for ever. Nobody else bears a
	 * monotonic clock that leaps.
	 */
	void setClocksRight() {
		if (this.coordinator.backend() == Options.Backend.ZOOKEEPER) {
			this.members.forEach((member) -> member.controls().setRight());
		}
	}

	/**
	 * Begins a fault.
	 * @return the fault that goes on, empty if there is nobody that it could meet
	 */
	Optional<Injected> begin(Fault fault) {
		FaultKind kind = fault.kind();
		if (kind.hasMember()) {
			Member member = target(fault);
			if (member == null) {
				return Optional.empty();
			}
			this.affected.add(member.number());
			long begin = System.nanoTime();
			begin(fault, member);
			return Optional.of(new Injected(fault, member.number(), -1, member.process(), begin));
		}
		int server = -1;
		if (kind == FaultKind.STORE_KILL || kind == FaultKind.STORE_FREEZE) {
			// The one that leads the others is worth more faults than the others.
			server = (fault.number() % 2 == 0) ? this.coordinator.servers().leader()
					: fault.number() % this.coordinator.ports().size();
		}
		long begin = System.nanoTime();
		switch (kind) {
			case DATABASE_KILL -> this.database.kill();
			case DATABASE_FREEZE -> this.database.freeze();
			case DATABASE_CLOCK -> clock().set(offset(fault));
			case STORE_KILL -> this.coordinator.servers().kill(server);
			case STORE_FREEZE -> this.coordinator.servers().freeze(server);
			default -> throw new IllegalStateException(kind.name());
		}
		return Optional.of(new Injected(fault, -1, server, "", begin));
	}

	private void begin(Fault fault, Member member) {
		switch (fault.kind()) {
			case PAUSE, SUSPEND, SLEEP -> member.freeze();
			case KILL -> member.kill();
			case TERMINATE -> member.terminate();
			case CLOCK -> member.controls().setWallClock(offset(fault));
			case POOL -> member.controls().exhaustPoolUntil(System.nanoTime() + fault.hold().toNanos());
			case DATABASE_CUT -> member.database().freeze();
			case DATABASE_REFUSED -> member.database().refuse();
			case DATABASE_HALF_OPEN -> member.database().halfOpen();
			case DATABASE_ONE_WAY -> member.database().dropAnswers();
			case DATABASE_LATE -> member.database().delayRequests(LATE);
			case STORE_CUT -> member.store().forEach(FaultProxy::freeze);
			case STORE_REFUSED -> member.store().forEach(FaultProxy::refuse);
			case STORE_HALF_OPEN -> member.store().forEach(FaultProxy::halfOpen);
			case STORE_ONE_WAY -> member.store().forEach(FaultProxy::dropAnswers);
			case STORE_LATE -> member.store().forEach((proxy) -> proxy.delayRequests(LATE));
			default -> throw new IllegalStateException(fault.kind().name());
		}
	}

	/** Ends a fault, so that from now on nothing is wrong because of it. */
	void end(Injected injected) throws InterruptedException {
		Fault fault = injected.fault();
		if (injected.member() >= 0) {
			end(injected, this.members.get(injected.member()));
			this.affected.remove(Integer.valueOf(injected.member()));
			return;
		}
		switch (fault.kind()) {
			case DATABASE_KILL -> this.database.start();
			case DATABASE_FREEZE -> this.database.goOn();
			case DATABASE_CLOCK -> clock().set(Duration.ZERO);
			case STORE_KILL -> this.coordinator.servers().heal();
			case STORE_FREEZE -> this.coordinator.servers().goOn(injected.server());
			default -> throw new IllegalStateException(fault.kind().name());
		}
	}

	private void end(Injected injected, Member member) {
		FaultKind kind = injected.fault().kind();
		if (kind.isOfTheProcess() && !injected.process().equals(member.process())) {
			return;
		}
		Duration taken = Duration.ofNanos(System.nanoTime() - injected.begin());
		switch (kind) {
			case PAUSE -> member.goOn();
			case SUSPEND, SLEEP -> {
				member.controls().suspended(taken, kind == FaultKind.SUSPEND);
				member.goOn();
			}
			// Whoever starts members again does so once they have ended.
			case KILL, TERMINATE -> {
			}
			case CLOCK -> member.controls().setWallClock(Duration.ZERO);
			case POOL -> member.controls().exhaustPoolUntil(0);
			case DATABASE_ONE_WAY, DATABASE_HALF_OPEN -> reset(member.database());
			case STORE_ONE_WAY, STORE_HALF_OPEN -> member.store().forEach(Nemesis::reset);
			case STORE_CUT, STORE_REFUSED, STORE_LATE -> member.store().forEach(FaultProxy::heal);
			default -> member.database().heal();
		}
	}

	/** What was lost on the way cannot be had again by these connections. */
	private static void reset(FaultProxy proxy) {
		proxy.cut();
		proxy.heal();
	}

	private FakeClock clock() {
		if (this.databaseClock == null) {
			throw new IllegalStateException("The clock of the database cannot be set");
		}
		return this.databaseClock;
	}

	/** Up to an hour, for as many before as after. */
	private static Duration offset(Fault fault) {
		Duration offset = Duration.ofSeconds(1 + fault.number() % (HOUR_MINUTES * HOUR_MINUTES));
		return (fault.number() / 2 % 2 == 0) ? offset : offset.negated();
	}

	private @Nullable Member target(Fault fault) {
		int wanted = fault.leaderOf().isEmpty() ? fault.member()
				: this.leaders.leader(fault.leaderOf(), fault.member());
		return IntStream.range(0, Options.MEMBERS)
			.mapToObj((i) -> this.members.get((wanted + i) % Options.MEMBERS))
			.filter((member) -> member.isAlive() && !member.isAskedToEnd() && !this.affected.contains(member.number()))
			.findFirst()
			.orElse(null);
	}

	/** Knows who leads. */
	@FunctionalInterface
	interface RoleLeaders {

		/** Returns the member that leads a role, or the other one if nobody does. */
		int leader(String role, int otherwise);

	}

	/**
	 * A fault that goes on.
	 *
	 * @param fault what was planned
	 * @param member whom it meets, -1 if that is no member
	 * @param server which server of the leases it meets, -1 if it is none
	 * @param process the process that it meets, empty if that is no member
	 * @param begin when it began
	 */
	record Injected(Fault fault, int member, int server, String process, long begin) {
	}

}
