package io.leaderstarter.scale;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * What the fence takes of the throughput of PostgreSQL, in a real application with eight
 * threads, and whether that is more than promised.
 * <p>
 * The same work is done with and without the fence in turns, and only the ratios of
 * neighbours count, so that a machine that becomes slower does not matter.
 */
public final class FenceCost {

	private static final int CLIENTS = 8;

	private static final int ROUNDS = 15;

	private static final int WARM_UP = 3;

	private static final long ROUND_MILLIS = 1000;

	private static final double TRANSACTION_KEEPS = 0.85;

	private static final double STATEMENT_KEEPS = 0.75;

	private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

	private boolean broken;

	private FenceCost() {
	}

	public static void main(String[] args) throws Exception {
		FenceCost cost = new FenceCost();
		// Commits wait for the disk, as they do where it matters.
		try (EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setServerConfig("listen_addresses", "127.0.0.1")
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("fsync", "on")
			.start(); ConfigurableApplicationContext context = application(server)) {
			cost.measure(context);
		}
		cost.threads.shutdownNow();
		System.out.println(cost.broken ? "Not all that is promised holds." : "All that is promised holds.");
		System.exit(cost.broken ? 1 : 0);
	}

	private static ConfigurableApplicationContext application(EmbeddedPostgres server) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(Map.of("spring.application.name", "benchmark", "spring.main.banner-mode",
				"off", "logging.level.root", "warn", "spring.datasource.url", server.getJdbcUrl("postgres", "postgres"),
				"spring.datasource.hikari.maximum-pool-size", CLIENTS));
		return application.run();
	}

	private void measure(ConfigurableApplicationContext context) throws Exception {
		JdbcTemplate jdbc = context.getBean("jdbcTemplate", JdbcTemplate.class);
		System.out.printf("fsync %s, synchronous_commit %s%n", jdbc.queryForObject("show fsync", String.class),
				jdbc.queryForObject("show synchronous_commit", String.class));
		jdbc.execute("create table counter (id int primary key, hits bigint not null) with (fillfactor = 50)");
		jdbc.execute("insert into counter select id, 0 from generate_series(0, 999) id");
		while (!context.getBean(LeaderElections.class).election("job").isLeader()) {
			Thread.sleep(10);
		}
		Job job = context.getBean(Job.class);
		compare("a transaction of five statements", job::plainTransaction, job::fencedTransaction, TRANSACTION_KEEPS);
		compare("a statement that commits by itself", job::plainStatement, job::fencedStatement, STATEMENT_KEEPS);
	}

	private void compare(String what, IntConsumer plain, IntConsumer fenced, double keeps) throws Exception {
		double[] ratios = new double[ROUNDS];
		for (int round = -WARM_UP; round < ROUNDS; round++) {
			// The one that comes first is not always the same.
			boolean plainFirst = round % 2 == 0;
			double first = throughput(plainFirst ? plain : fenced);
			double second = throughput(plainFirst ? fenced : plain);
			if (round >= 0) {
				ratios[round] = plainFirst ? second / first : first / second;
			}
		}
		Arrays.sort(ratios);
		double median = ratios[ROUNDS / 2];
		System.out.printf("%s keeps %.2f of its throughput (%.2f to %.2f), promised is %.2f%n", what, median, ratios[0],
				ratios[ROUNDS - 1], keeps);
		this.broken |= median < keeps;
	}

	/**
	 * Does the work by all clients at the same time, and returns how often in a second.
	 */
	private double throughput(IntConsumer work) throws Exception {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROUND_MILLIS);
		List<Callable<Long>> clients = IntStream.range(0, CLIENTS).mapToObj((client) -> (Callable<Long>) () -> {
			long times = 0;
			while (System.nanoTime() - end < 0) {
				work.accept(client);
				times++;
			}
			return times;
		}).toList();
		long started = System.nanoTime();
		long times = 0;
		for (Future<Long> client : this.threads.invokeAll(clients)) {
			times += client.get();
		}
		return times * 1e9 / (System.nanoTime() - started);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Job job(JdbcTemplate jdbc, FencedJdbcTemplate fencedJdbc) {
			return new Job(jdbc, fencedJdbc);
		}

	}

	/** A bean as users write it. No two clients touch the same row. */
	public static class Job {

		private static final int STATEMENTS = 5;

		private static final String SQL = "update counter set hits = hits + 1 where id = ?";

		private final JdbcTemplate jdbc;

		private final FencedJdbcTemplate fencedJdbc;

		protected Job(JdbcTemplate jdbc, FencedJdbcTemplate fencedJdbc) {
			this.jdbc = jdbc;
			this.fencedJdbc = fencedJdbc;
		}

		@Transactional
		public void plainTransaction(int client) {
			count(client);
		}

		@LeaderOnly("job")
		@Transactional
		public void fencedTransaction(int client) {
			count(client);
		}

		public void plainStatement(int client) {
			this.jdbc.update(SQL, client);
		}

		@LeaderOnly("job")
		public void fencedStatement(int client) {
			this.fencedJdbc.update(SQL, client);
		}

		private void count(int client) {
			for (int statement = 0; statement < STATEMENTS; statement++) {
				this.jdbc.update(SQL, client * STATEMENTS + statement);
			}
		}

	}

}
