package io.leaderstarter.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks and compares what they measured with what is promised.
 */
public final class Benchmarks {

	/** Bytes are exact but for what JMH itself allocates in an iteration. */
	private static final double NOTHING = 0.1;

	private static final double SKIPPED_BYTES = 32;

	private static final double SKIPPED_NANOS = 100;

	private Benchmarks() {
	}

	public static void main(String[] args) throws Exception {
		Options options = new OptionsBuilder().include(args[0])
			.forks(1)
			.warmupIterations(3)
			.warmupTime(TimeValue.milliseconds(500))
			.measurementIterations(3)
			.measurementTime(TimeValue.milliseconds(500))
			.addProfiler(GCProfiler.class)
			.build();
		List<String> broken = check(new Runner(options).run());
		if (!broken.isEmpty()) {
			broken.forEach(System.err::println);
			System.exit(1);
		}
		System.out.println("All that is promised holds.");
	}

	private static List<String> check(Collection<RunResult> results) {
		List<String> broken = new ArrayList<>();
		for (RunResult result : results) {
			String name = result.getParams().getBenchmark();
			boolean leader = Boolean.parseBoolean(result.getParams().getParam("leader"));
			double bytes = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
			double nanos = result.getPrimaryResult().getScore();
			if (name.endsWith(".isLeader") && bytes > NOTHING) {
				broken.add("isLeader() allocates %.1f bytes".formatted(bytes));
			}
			if (name.endsWith(".leaderOnlyCall") && !leader && (bytes >= SKIPPED_BYTES || nanos >= SKIPPED_NANOS)) {
				broken.add("a skipped call takes %.1f bytes and %.1f ns, promised are less than %.0f and %.0f"
					.formatted(bytes, nanos, SKIPPED_BYTES, SKIPPED_NANOS));
			}
		}
		return broken;
	}

}
