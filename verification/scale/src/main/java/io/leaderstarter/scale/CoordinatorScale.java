package io.leaderstarter.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * Runs elections with the default times over the servers of a coordinator, and compares
 * what they cost and take with what is promised.
 */
final class CoordinatorScale {

	private static final int ROLES = 1000;

	private static final int FOLLOWERS = 20;

	private static final int FREED = 20;

	private static final int HAND_OVERS = 40;

	private static final int APPLICATIONS = 4;

	private static final double SLOWEST_HAND_OVER_MILLIS = 250;

	private static final double MOST_BUSY_PERCENT = 2;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/** Until terms have ended and the compiler has come to rest. */
	private static final Duration REST = Duration.ofSeconds(25);

	private final List<String> broken = new ArrayList<>();

	/** Ends the program, with a failure if anything that is promised does not hold. */
	void end() {
		this.broken.forEach(System.out::println);
		System.out.println(this.broken.isEmpty() ? "All that is promised holds." : "Not all that is promised holds.");
		System.exit(this.broken.isEmpty() ? 0 : 1);
	}

	void manyRoles(Coordinator servers) throws IOException, InterruptedException {
		try (ScaleMember member = new ScaleMember(servers.stores(), UnaryOperator.identity(), "many", ROLES)) {
			long started = System.nanoTime();
			member.start();
			expect(Scale.await(PATIENCE, () -> member.held() == ROLES), "not all roles were acquired");
			Scale.print("roles held", member.held());
			Scale.print("time to acquire them, ms", Scale.millisSince(started));
			// Between two renewals, so that none is half counted.
			int first = member.renewals();
			expect(Scale.await(PATIENCE, () -> member.renewals() > first), "roles are not renewed");
			long before = servers.requests();
			expect(Scale.await(PATIENCE, () -> member.renewals() >= first + 4), "roles are not renewed");
			long requests = servers.requests() - before;
			int renewed = member.renewals() - first - 1;
			Scale.print("requests per renewal", "%.2f".formatted(requests / (double) renewed));
			Scale.print("longest renewal, ms", member.longestRenewal().toMillis());
			expect(requests <= servers.requestsForRenewal() * renewed,
					"promised are %.1f requests per renewal".formatted(servers.requestsForRenewal()));
			expect(member.held() == ROLES && member.epochs() == ROLES, "roles were lost while they were kept");
		}
	}

	void freedRole(Coordinator servers) throws InterruptedException {
		AtomicInteger polls = new AtomicInteger();
		AtomicInteger tries = new AtomicInteger();
		List<ScaleMember> members = new ArrayList<>();
		try {
			for (int i = 0; i <= FOLLOWERS; i++) {
				ScaleMember member = new ScaleMember(servers.stores(), (store) -> new CountedStore(store, polls, tries),
						"freed", 1);
				members.add(member);
				member.start();
			}
			expect(Scale.await(PATIENCE, () -> members.stream().anyMatch((member) -> member.leads("role-0"))),
					"nobody leads");
			Thread.sleep(ScaleMember.TIMING.renewInterval().toMillis());
			polls.set(0);
			tries.set(0);
			for (int i = 0; i < FREED; i++) {
				ScaleMember leader = members.stream()
					.filter((member) -> member.leads("role-0"))
					.findFirst()
					.orElseThrow();
				leader.resign("role-0");
				expect(Scale.await(PATIENCE,
						() -> members.stream().anyMatch((member) -> member != leader && member.leads("role-0"))),
						"a freed role was not taken");
				Thread.sleep(500);
			}
			// A poll that is due by itself may fall into the time.
			double polled = polls.get() / (double) (FREED * FOLLOWERS);
			double tried = tries.get() / (double) FREED;
			Scale.print("polls of a follower for each time that a role is freed", "%.2f".formatted(polled));
			Scale.print("of %d followers so many try to take it".formatted(FOLLOWERS), "%.2f".formatted(tried));
			expect(polled < 2, "promised is one poll of each follower");
			expect(tried < FOLLOWERS / 2.0, "promised is that few try to take it");
		}
		finally {
			members.forEach(ScaleMember::close);
		}
	}

	void handOvers(Coordinator servers) throws IOException, InterruptedException {
		try (HandOvers handOvers = new HandOvers(servers.properties())) {
			handOvers.run(HAND_OVERS);
			Scale.print("clean hand-overs by SIGTERM", handOvers.untilLed().length);
			Scale.print("processors busy at rest, %", Scale.percentiles(handOvers.busyAtRest()));
			Scale.printTimes("from the signal to the closing of the application", handOvers.untilClosed());
			Scale.printTimes("from the signal to the successor's event", handOvers.untilLed());
			expect(Scale.percentile(handOvers.untilLed(), 99) < SLOWEST_HAND_OVER_MILLIS,
					"promised are less than %.0f ms for p99".formatted(SLOWEST_HAND_OVER_MILLIS));
		}
	}

	void crashes(Coordinator servers, String which) throws Exception {
		List<Replica> leaders = new ArrayList<>();
		List<Replica> followers = new ArrayList<>();
		try {
			start(leaders, servers, which, Replica.Word.LEADS);
			start(followers, servers, which, Replica.Word.UP);
			Thread.sleep(ScaleMember.TIMING.renewInterval().toMillis());
			takeOver(servers, which, leaders, followers);
			servers.stop(0);
			servers.stop(1);
			rest(followers, "while most servers are away");
			servers.stop(2);
			rest(followers, "while all servers are away");
		}
		finally {
			leaders.forEach(Replica::close);
			followers.forEach(Replica::close);
		}
	}

	private void takeOver(Coordinator servers, String which, List<Replica> leaders, List<Replica> followers)
			throws InterruptedException {
		long[] killed = leaders.stream().mapToLong(Replica::kill).toArray();
		expect(Scale.await(PATIENCE,
				() -> followers.stream().allMatch((replica) -> replica.hasSaid(Replica.Word.LEADS))),
				"nobody took over");
		double[] millis = new double[followers.size()];
		for (int i = 0; i < millis.length; i++) {
			millis[i] = (followers.get(i).time(Replica.Word.LEADS) - killed[i]) / 1e6;
		}
		Arrays.sort(millis);
		Duration promised = ScaleMember.TIMING.ttl().plus(servers.longestDelay());
		Scale.printTimes("from kill -9 to the successor's event, " + which, millis);
		expect(millis[millis.length - 1] < promised.toMillis(),
				"promised are less than %d ms".formatted(promised.toMillis()));
	}

	private void rest(List<Replica> replicas, String when) throws InterruptedException {
		Thread.sleep(REST.toMillis());
		Duration[] before = replicas.stream().map(Replica::cpu).toArray(Duration[]::new);
		long begin = System.nanoTime();
		Thread.sleep(REST.toMillis());
		double nanos = System.nanoTime() - begin;
		double[] busy = new double[before.length];
		for (int i = 0; i < busy.length; i++) {
			busy[i] = replicas.get(i).cpu().minus(before[i]).toNanos() / nanos * 100;
		}
		Arrays.sort(busy);
		Scale.print("a member's share of a core " + when + ", %",
				"%.2f to %.2f".formatted(busy[0], busy[busy.length - 1]));
		expect(busy[busy.length - 1] < MOST_BUSY_PERCENT,
				"promised are less than %.0f %% of a core".formatted(MOST_BUSY_PERCENT));
	}

	private static void start(List<Replica> replicas, Coordinator servers, String which, Replica.Word until)
			throws IOException, InterruptedException {
		for (int i = 0; i < APPLICATIONS; i++) {
			replicas.add(new Replica("crash-%s-%d".formatted(which.replace(' ', '-'), i), servers.properties()));
		}
		if (!Scale.await(PATIENCE, () -> replicas.stream().allMatch((replica) -> replica.hasSaid(until)))) {
			throw new IllegalStateException("The replicas did not start");
		}
	}

	private void expect(boolean condition, String otherwise) {
		if (!condition) {
			this.broken.add("Broken: " + otherwise);
		}
	}

}
