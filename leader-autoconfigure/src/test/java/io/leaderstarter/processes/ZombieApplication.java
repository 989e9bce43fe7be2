package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A job that writes to the database in a transaction, and gets stuck in the first one at
 * a point that the test chooses, so that the test can stop the process right there.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class ZombieApplication {

	public static void main(String[] args) {
		SpringApplication.run(ZombieApplication.class, args);
	}

	@Bean
	Sticking sticking(Environment environment) throws IOException {
		return new Sticking(new PrintStream(Files.newOutputStream(Path.of(System.getProperty("history"))), true),
				environment.getProperty("stick", ""), Path.of(environment.getProperty("release", "")));
	}

	@Bean
	Job job(Sticking sticking, JdbcTemplate jdbc, DataSourceTransactionManager manager) {
		// It comes last, so after the check of the fence.
		manager.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				sticking.at("after-check");
			}

		});
		return new Job(sticking, jdbc, new TransactionTemplate(manager));
	}

	/** Writes down what happened, and hangs once where it is configured to. */
	static class Sticking {

		private final PrintStream history;

		private final String where;

		private final Path release;

		private boolean stuck;

		Sticking(PrintStream history, String where, Path release) {
			this.history = history;
			this.where = where;
			this.release = release;
		}

		void at(String point) {
			if (!this.stuck && point.equals(this.where)) {
				this.stuck = true;
				write("stuck", LeaderContext.epoch());
				while (!Files.exists(this.release)) {
					pause();
				}
			}
		}

		private static void pause() {
			try {
				Thread.sleep(5);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		synchronized void write(String kind, long epoch) {
			this.history.println(kind + " " + System.nanoTime() + " " + epoch);
		}

	}

	static class Job {

		private final Sticking sticking;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		Job(Sticking sticking, JdbcTemplate jdbc, TransactionTemplate transaction) {
			this.sticking = sticking;
			this.jdbc = jdbc;
			this.transaction = transaction;
		}

		@EventListener
		void onReady(ApplicationReadyEvent event) {
			this.sticking.write("up", 0);
		}

		@Scheduled(fixedDelay = 20)
		@LeaderOnly("job")
		public void run() {
			long epoch = LeaderContext.epoch();
			try {
				this.transaction.executeWithoutResult((status) -> {
					this.sticking.at("before-writes");
					this.jdbc.update("insert into written (epoch) values (?)", epoch);
					this.jdbc.update("update account set epoch = ?", epoch);
					this.sticking.at("before-check");
				});
				this.sticking.write("committed", epoch);
			}
			catch (RuntimeException ex) {
				this.sticking.write("refused", epoch);
				throw ex;
			}
		}

	}

}
