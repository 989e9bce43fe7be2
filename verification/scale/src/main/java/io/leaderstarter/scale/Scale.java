package io.leaderstarter.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import io.leaderstarter.scale.CountedStatements.Kind;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Runs many roles with the default times on PostgreSQL, hands them over, and compares
 * what that costs with what is promised.
 */
public final class Scale {

	private static final int ROLES = 10_000;

	private static final int HAND_OVERS = 100;

	private static final int MOST_THREADS = 10;

	private static final double MOST_MEGABYTES = 50;

	private static final double SLOWEST_HAND_OVER_MILLIS = 100;

	private final List<String> broken = new ArrayList<>();

	private Scale() {
	}

	public static void main(String[] args) throws Exception {
		Scale scale = new Scale();
		try (EmbeddedPostgres server = start()) {
			scale.manyRoles(server.getPostgresDatabase());
			scale.quickHandOvers(server.getJdbcUrl("postgres", "postgres"));
		}
		scale.broken.forEach(System.out::println);
		System.out.println(scale.broken.isEmpty() ? "All that is promised holds." : "Not all that is promised holds.");
		System.exit(scale.broken.isEmpty() ? 0 : 1);
	}

	private static EmbeddedPostgres start() throws IOException {
		return EmbeddedPostgres.builder().setServerConfig("listen_addresses", "127.0.0.1").start();
	}

	private void manyRoles(DataSource database) throws InterruptedException {
		CountedStatements statements = new CountedStatements(database);
		double before = usedMegabytes();
		PeakThreads threads = new PeakThreads();
		threads.start();
		try (ScaleMember first = new ScaleMember(statements, "many", ROLES)) {
			long started = System.nanoTime();
			first.start();
			expect(await(Duration.ofSeconds(60), () -> first.held() == ROLES), "not all roles were acquired");
			print("roles held", first.held());
			print("time to acquire them, ms", millisSince(started));
			print("statements to acquire them", statements.counts());
			print("most threads meanwhile", threads.peak());
			expectFew(threads);
			keep(first, statements, before, threads);
			try (ScaleMember second = new ScaleMember(database, "many", ROLES)) {
				handOver(first, second);
			}
		}
		finally {
			threads.interrupt();
		}
	}

	private void keep(ScaleMember member, CountedStatements statements, double before, PeakThreads threads)
			throws InterruptedException {
		Thread.sleep(6000);
		threads.reset();
		long epochs = member.epochs();
		int renewals = member.renewals();
		int statementsBefore = statements.count(Kind.RENEW);
		// At least three renewals, however early each of them is.
		Thread.sleep(ScaleMember.TIMING.renewInterval().multipliedBy(3).plusSeconds(1).toMillis());
		expect(member.held() == ROLES && member.epochs() == epochs, "roles were lost while they were kept");
		int renewed = member.renewals() - renewals;
		expect(renewed >= 3 && member.failedRenewals() == 0,
				"%d renewals, %d failed".formatted(renewed, member.failedRenewals()));
		print("renewals", renewed);
		print("statements per renewal", (statements.count(Kind.RENEW) - statementsBefore) / (double) renewed);
		print("longest renewal, ms", member.longestRenewal().toMillis());
		print("most threads while they are kept", threads.peak() + " " + PeakThreads.names());
		expectFew(threads);
		double used = usedMegabytes() - before;
		print("heap used, MB", "%.1f".formatted(used));
		expect(used < MOST_MEGABYTES, "promised are less than %.0f MB".formatted(MOST_MEGABYTES));
	}

	private void handOver(ScaleMember first, ScaleMember second) throws InterruptedException {
		second.start();
		// It has polled all of them, and listens for notifications.
		Thread.sleep(6000);
		long stopped = System.nanoTime();
		first.stop();
		print("time to release them, ms", millisSince(stopped));
		expect(await(Duration.ofSeconds(60), () -> second.held() == ROLES), "the hand-over was not complete");
		print("time to hand them over, ms", millisSince(stopped));
	}

	private void quickHandOvers(String url) throws IOException, InterruptedException {
		try (HandOvers handOvers = new HandOvers(List.of("--spring.datasource.url=" + url))) {
			handOvers.run(HAND_OVERS);
			print("clean hand-overs by SIGTERM", handOvers.untilLed().length);
			print("processors busy at rest, %", percentiles(handOvers.busyAtRest()));
			printTimes("from the signal to the closing of the application", handOvers.untilClosed());
			printTimes("from the signal to the successor's event", handOvers.untilLed());
			expect(percentile(handOvers.untilLed(), 99) < SLOWEST_HAND_OVER_MILLIS,
					"promised are less than %.0f ms for p99".formatted(SLOWEST_HAND_OVER_MILLIS));
		}
	}

	static void printTimes(String what, double[] sorted) {
		print(what + ", ms", percentiles(sorted));
	}

	static String percentiles(double[] sorted) {
		return "p50 %.1f, p90 %.1f, p99 %.1f, most %.1f".formatted(percentile(sorted, 50), percentile(sorted, 90),
				percentile(sorted, 99), sorted[sorted.length - 1]);
	}

	static double percentile(double[] sorted, int percent) {
		return sorted[(sorted.length * percent + 99) / 100 - 1];
	}

	private void expectFew(PeakThreads threads) {
		expect(threads.peak() < MOST_THREADS,
				"%d threads, promised are less than %d".formatted(threads.peak(), MOST_THREADS));
	}

	private void expect(boolean condition, String otherwise) {
		if (!condition) {
			this.broken.add("Broken: " + otherwise);
		}
	}

	static void print(String what, Object value) {
		System.out.printf("%-55s %s%n", what, value);
	}

	static boolean await(Duration patience, BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + patience.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end >= 0) {
				return false;
			}
			Thread.sleep(10);
		}
		return true;
	}

	static long millisSince(long nanos) {
		return (System.nanoTime() - nanos) / 1_000_000;
	}

	private static double usedMegabytes() throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			System.gc();
			Thread.sleep(100);
		}
		Runtime runtime = Runtime.getRuntime();
		return (runtime.totalMemory() - runtime.freeMemory()) / 1e6;
	}

}
