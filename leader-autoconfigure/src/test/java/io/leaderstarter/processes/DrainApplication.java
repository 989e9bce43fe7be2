package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/**
 * A service with a web server and a pool, and a job that takes long and needs the
 * database at its very end.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class DrainApplication {

	public static void main(String[] args) {
		SpringApplication.run(DrainApplication.class, args);
	}

	@Bean
	LongJob longJob(JdbcClient jdbc, @Value("${work}") Duration work) throws IOException {
		return new LongJob(jdbc, work, Path.of(System.getProperty("history")));
	}

	static class LongJob {

		private final JdbcClient jdbc;

		private final Duration work;

		private final PrintStream history;

		LongJob(JdbcClient jdbc, Duration work, Path history) throws IOException {
			this.jdbc = jdbc;
			this.work = work;
			this.history = new PrintStream(Files.newOutputStream(history), true);
		}

		@EventListener
		void onReady(ApplicationReadyEvent event) {
			write("up", 0);
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly("long")
		@Transactional
		public void run() throws InterruptedException {
			long epoch = LeaderContext.epoch();
			write("begin", epoch);
			Thread.sleep(this.work.toMillis());
			this.jdbc.sql("insert into done (epoch) values (?)").param(epoch).update();
			write(LeaderContext.isEnding() ? "asked" : "unasked", epoch);
			write("end", epoch);
		}

		private void write(String kind, long epoch) {
			this.history.println(kind + " " + System.nanoTime() + " " + epoch);
		}

	}

}
