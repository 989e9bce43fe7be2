package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import io.leaderstarter.election.membership.Placement;

/**
 * What is different from one schedule to the next: the settings, and what goes wrong. All
 * of it follows from the seed.
 *
 * @param seed the seed
 * @param ttl the ttl of the leases
 * @param pollInterval how often members poll
 * @param showsExpiry the kind of the store
 * @param hints whether the store notifies of free roles
 * @param fenced whether commits are fenced
 * @param placement who should rather lead
 * @param priorities those of the nodes
 * @param drainTimeout how long calls may run on
 * @param yieldAfterFailures how many failures make a leader give up
 * @param drifts how much faster the clocks of the nodes run, and last that of the store
 * @param noise how often a request meets a fault, from 0 to 1
 * @param faults what goes wrong besides, in order
 */
record Plan(long seed, Duration ttl, Duration pollInterval, boolean showsExpiry, boolean hints, boolean fenced,
		Placement placement, List<Integer> priorities, Duration drainTimeout, int yieldAfterFailures,
		List<Double> drifts, double noise, List<Fault> faults) {

	static final int NODES = 3;

	/** The roles that all nodes join. */
	static final List<String> ROLES = List.of("a", "b");

	/** When the last fault begins, in milliseconds. */
	private static final int LAST_FAULT = 17_000;

	private static final int MOST_FAULTS = 7;

	/** Faults that come together do so within this time, in milliseconds. */
	private static final int TOGETHER = 1000;

	/** How much faster or slower than true time a clock may run. */
	private static final double DRIFT = 0.0005;

	static Plan of(long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		Duration ttl = Duration.ofMillis(2000 + 500 * random.nextInt(4));
		boolean hints = random.nextBoolean();
		Duration poll = hints ? Duration.ofMillis(500 + random.nextInt(4500))
				: Duration.ofMillis(200 + random.nextInt(800));
		boolean showsExpiry = random.nextInt(3) > 0;
		boolean fenced = random.nextInt(4) > 0;
		Placement placement = (random.nextInt(3) == 0) ? Placement.SPREAD : Placement.FIRST_COME;
		List<Integer> priorities = IntStream.range(0, NODES)
			.map((node) -> (placement == Placement.SPREAD) ? random.nextInt(2) : 0)
			.boxed()
			.toList();
		Duration drain = Duration.ofMillis(500 + random.nextInt(4000));
		int yields = (random.nextInt(5) == 0) ? 2 : 0;
		List<Double> drifts = IntStream.rangeClosed(0, NODES)
			.mapToObj((node) -> DRIFT * (2 * random.nextDouble() - 1))
			.toList();
		double noise = random.nextBoolean() ? 0 : 0.2 * random.nextDouble() * random.nextDouble();
		List<Fault> faults = new ArrayList<>();
		boolean wallMayBeSetBack = random.nextBoolean();
		for (int left = random.nextInt(MOST_FAULTS + 1); left > 0; left--) {
			// What breaks often breaks together.
			boolean together = !faults.isEmpty() && random.nextInt(3) > 0;
			long at = (together ? faults.get(faults.size() - 1).at() : 1000)
					+ random.nextInt(together ? TOGETHER : LAST_FAULT - 1000 - MOST_FAULTS * TOGETHER);
			Fault fault = fault(at, random, ttl.toMillis(), fenced, wallMayBeSetBack);
			if (fault != null) {
				faults.add(fault);
			}
		}
		faults.sort(Comparator.comparing(Fault::at));
		return new Plan(seed, ttl, poll, showsExpiry, hints, fenced, placement, priorities, drain, yields, drifts,
				noise, faults);
	}

	private static Fault fault(long at, SplittableRandom random, long ttl, boolean fenced, boolean wallMayBeSetBack) {
		Fault.Kind kind = Fault.Kind.values()[random.nextInt(Fault.Kind.values().length)];
		long millis = (long) (ttl * Math.pow(2, random.nextDouble() * 6 - 4));
		if (kind == Fault.Kind.SUSPEND && wallMayBeSetBack) {
			// With neither clock nothing can be known. The fence holds all the same.
			kind = Fault.Kind.PAUSE;
		}
		else if (kind == Fault.Kind.STORE_RESTORED && !fenced) {
			return null;
		}
		else if (kind == Fault.Kind.WALL_CLOCK_SET || kind == Fault.Kind.STORE_CLOCK_SET) {
			millis = (random.nextBoolean() && (wallMayBeSetBack || kind == Fault.Kind.STORE_CLOCK_SET)) ? -2 * millis
					: 2 * millis;
		}
		if (kind.endsProcess() || kind == Fault.Kind.STORE_SLOW) {
			millis = Math.min(millis, 2 * ttl);
		}
		return new Fault(at, kind, random.nextInt(NODES), ROLES.get(random.nextInt(ROLES.size())), millis);
	}

	boolean has(Fault.Kind kind) {
		return this.faults.stream().anyMatch((fault) -> fault.kind() == kind);
	}

	/** Whether the store may grant a lease that another member still relies on. */
	boolean mayGrantTwice() {
		return has(Fault.Kind.STORE_CLOCK_SET) || has(Fault.Kind.STORE_RESTORED) || has(Fault.Kind.LEASE_FREED);
	}

	/** The same without one of the faults. */
	Plan without(int index) {
		List<Fault> left = new ArrayList<>(this.faults);
		left.remove(index);
		return new Plan(this.seed, this.ttl, this.pollInterval, this.showsExpiry, this.hints, this.fenced,
				this.placement, this.priorities, this.drainTimeout, this.yieldAfterFailures, this.drifts, this.noise,
				left);
	}

}
