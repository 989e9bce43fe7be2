package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.testsupport.PauseWatch;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

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
	LongJob longJob(JdbcClient jdbc, Environment environment, @Value("${work}") Duration work) throws IOException {
		return new LongJob(jdbc, environment, work, Path.of(System.getProperty("history")));
	}

	@RestController
	static class Page {

		private final JdbcClient jdbc;

		Page(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@GetMapping("/done")
		long done() {
			return this.jdbc.sql("select count(*) from done").query(Long.class).single();
		}

	}

	static class LongJob {

		private final JdbcClient jdbc;

		private final Environment environment;

		private final Duration work;

		private final PrintStream history;

		LongJob(JdbcClient jdbc, Environment environment, Duration work, Path history) throws IOException {
			this.jdbc = jdbc;
			this.environment = environment;
			this.work = work;
			this.history = new PrintStream(Files.newOutputStream(history), true);
			new PauseWatch((pause) -> this.history.println("paused " + pause.end() + " " + pause.length().toNanos()));
		}

		@EventListener
		void onReady(ApplicationReadyEvent event) {
			write("up", 0);
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly("long")
		@Transactional
		public void run() throws Exception {
			long epoch = LeaderContext.epoch();
			write("begin", epoch);
			Thread.sleep(this.work.toMillis());
			this.jdbc.sql("insert into done (epoch) values (?)").param(epoch).update();
			if (LeaderContext.isEnding()) {
				write("asked", epoch);
				if (isServing()) {
					write("serving", epoch);
				}
			}
			write("end", epoch);
		}

		/** Whether a customer who comes now is served by this process. */
		private boolean isServing() throws Exception {
			URI page = URI
				.create("http://localhost:%s/done".formatted(this.environment.getProperty("local.server.port")));
			return HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.discarding())
				.statusCode() == 200;
		}

		private void write(String kind, long epoch) {
			this.history.println(kind + " " + System.nanoTime() + " " + epoch);
		}

	}

}
