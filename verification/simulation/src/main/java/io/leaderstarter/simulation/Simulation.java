package io.leaderstarter.simulation;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Runs schedules, one per seed, until one of them fails. That one is run again without
 * the faults that it does not need, and its history is printed.
 */
public final class Simulation {

	private Simulation() {
	}

	/**
	 * Run schedules.
	 * @param args how many, and the first seed: a number, or anything else for a new one.
	 * The history of a single schedule is printed in any case
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static void main(String[] args) throws InterruptedException {
		long count = Long.parseLong(args[0]);
		long first = args[1].matches("\\d+") ? Long.parseLong(args[1]) : System.currentTimeMillis() * 1000;
		if (count == 1) {
			Outcome outcome = run(Plan.of(first), true);
			System.out.println(outcome);
			System.exit((outcome.violation() != null) ? 1 : 0);
		}
		System.out.printf("%,d schedules from seed %d%n", count, first);
		long begin = System.nanoTime();
		Statistics statistics = new Statistics();
		// Threads that hand over to each other leave the processors idle in between.
		int threads = 3 * Runtime.getRuntime().availableProcessors();
		Outcome failure = firstFailure(first, count, threads, statistics);
		System.out.printf("%s; %d s%n", statistics, (System.nanoTime() - begin) / 1_000_000_000);
		if (failure != null) {
			System.out.println(failure);
			System.exit(1);
		}
	}

	/**
	 * Run schedules until one fails.
	 * @param first the first seed
	 * @param count how many
	 * @param threads how many at once
	 * @return what happened in the one that fails, {@code null} if none does
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static Object firstFailure(long first, long count, int threads) throws InterruptedException {
		return firstFailure(first, count, threads, new Statistics());
	}

	static Outcome firstFailure(long first, long count, int threads, Statistics statistics)
			throws InterruptedException {
		AtomicLong next = new AtomicLong(first);
		AtomicReference<Plan> failed = new AtomicReference<>();
		List<Thread> runners = IntStream.range(0, threads).mapToObj((number) -> new Thread(() -> {
			Scheduler scheduler = new Scheduler();
			for (long seed = next.getAndIncrement(); seed < first + count
					&& failed.get() == null; seed = next.getAndIncrement()) {
				Plan plan = Plan.of(seed);
				World world = new World(plan, scheduler, false);
				Throwable violation = world.run();
				synchronized (statistics) {
					statistics.add(world.statistics());
				}
				if (violation != null) {
					failed.compareAndSet(null, plan);
				}
			}
			scheduler.close();
		})).toList();
		runners.forEach(Thread::start);
		for (Thread runner : runners) {
			runner.join();
		}
		return (failed.get() != null) ? run(shrink(failed.get()), true) : null;
	}

	/** Leave out the faults that a schedule does not need to fail. */
	private static Plan shrink(Plan failing) {
		Plan plan = failing;
		for (int index = plan.faults().size() - 1; index >= 0; index--) {
			Plan simpler = plan.without(index);
			if (run(simpler, false).violation() != null) {
				plan = simpler;
			}
		}
		return plan;
	}

	/** Run one schedule. */
	static Outcome run(Plan plan, boolean kept) {
		Scheduler scheduler = new Scheduler();
		World world = new World(plan, scheduler, kept);
		Throwable violation = world.run();
		scheduler.close();
		return new Outcome(plan, violation, world.history().lines());
	}

	/**
	 * What happened in a schedule.
	 *
	 * @param plan the schedule
	 * @param violation what must not happen and has, {@code null} if nothing
	 * @param history what happened, if that was kept
	 */
	record Outcome(Plan plan, Throwable violation, List<String> history) {

		@Override
		public String toString() {
			return "%s%n%s%nSeed %d: %s".formatted(String.join("\n", this.history), this.plan, this.plan.seed(),
					(this.violation != null) ? this.violation : "nothing is wrong");
		}

	}

}
