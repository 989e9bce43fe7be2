package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.leaderstarter.chaos.app.Jobs;

/**
 * Decides by a seed which faults come. What they meet is decided by the machine, so a
 * seed repeats the faults and not the run.
 */
final class Plan {

	private static final int CALM_ONE_IN = 20;

	private static final int TOGETHER = 5;

	private static final int SPREAD_MILLIS = 800;

	private final Random random;

	private final List<FaultKind> kinds;

	/** What is left of a round in which each kind comes once. */
	private final List<FaultKind> round = new ArrayList<>();

	Plan(long seed, List<FaultKind> kinds) {
		this.random = new Random(seed);
		this.kinds = kinds;
	}

	/**
	 * Returns faults that come together. None is a calm time, in which nobody may lose a
	 * role.
	 */
	List<Fault> next() {
		if (this.random.nextInt(CALM_ONE_IN) == 0) {
			return List.of();
		}
		List<Fault> faults = new ArrayList<>();
		Set<Integer> members = new HashSet<>();
		boolean ofServers = false;
		for (int i = this.random.nextInt(TOGETHER); i >= 0; i--) {
			FaultKind kind = kind();
			int member = this.random.nextInt(Options.MEMBERS);
			if (kind.hasMember() ? !members.add(member) : ofServers) {
				this.round.add(kind);
				continue;
			}
			ofServers |= !kind.hasMember();
			faults.add((kind == FaultKind.SUSPEND) ? suspension(member) : fault(kind, member));
		}
		return faults;
	}

	private Fault fault(FaultKind kind, int member) {
		// Who leads is worth more faults than who does not.
		return new Fault(kind, member, this.random.nextInt(3) > 0 ? role() : "", delay(), hold(),
				this.random.nextInt(Integer.MAX_VALUE));
	}

	/**
	 * Returns a fault after which only the fence can refuse what is written: a leader is
	 * suspended until somebody else leads.
	 * @param member whom it meets if nobody leads
	 */
	Fault suspension(int member) {
		return new Fault(FaultKind.SUSPEND, member, role(), delay(), Options.TTL.plus(hold()), 0);
	}

	/** A short time between two groups of faults. */
	Duration pause() {
		return delay();
	}

	private String role() {
		return Jobs.ROLES.get(this.random.nextInt(Jobs.ROLES.size()));
	}

	private Duration delay() {
		return Duration.ofMillis(this.random.nextInt(SPREAD_MILLIS));
	}

	private FaultKind kind() {
		if (this.round.isEmpty()) {
			this.round.addAll(this.kinds);
		}
		return this.round.remove(this.random.nextInt(this.round.size()));
	}

	/** From a tenth of the ttl to four times as long, more often shorter. */
	private Duration hold() {
		int percent = switch (this.random.nextInt(10)) {
			case 0 -> 200 + this.random.nextInt(200);
			case 1, 2, 3 -> 100 + this.random.nextInt(100);
			default -> 10 + this.random.nextInt(90);
		};
		return Options.TTL.multipliedBy(percent).dividedBy(100);
	}

	/**
	 * A fault that is to come.
	 *
	 * @param kind what goes wrong
	 * @param member whom it meets
	 * @param leaderOf if not empty, it meets whoever leads this role instead
	 * @param delay after how long
	 * @param hold for how long
	 * @param number decides the rest
	 */
	record Fault(FaultKind kind, int member, String leaderOf, Duration delay, Duration hold, int number) {
	}

}
