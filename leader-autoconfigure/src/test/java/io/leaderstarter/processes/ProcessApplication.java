package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.testsupport.PauseWatch;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * What each of the processes runs: a job as users write it, that writes down when it
 * worked, by a clock that all processes of a machine share.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class ProcessApplication {

	public static void main(String[] args) {
		SpringApplication.run(ProcessApplication.class, args);
	}

	@Bean
	Job job() throws IOException {
		return new Job(Path.of(System.getProperty("history")));
	}

	static class Job {

		private final PrintStream history;

		Job(Path history) throws IOException {
			this.history = new PrintStream(Files.newOutputStream(history), true);
			new PauseWatch((pause) -> this.history.println("paused " + pause.end() + " " + pause.length().toNanos()));
		}

		@EventListener
		void onReady(ApplicationReadyEvent event) {
			write("up", 0);
		}

		@EventListener
		void onRevoked(LeadershipRevokedEvent event) {
			write("revoked", event.leadership().epoch());
		}

		@Scheduled(fixedDelay = 20)
		@LeaderOnly("job")
		public void run() throws InterruptedException {
			writeIfAllowed("begin");
			for (int step = 0; step < 10; step++) {
				writeIfAllowed("step");
				Thread.sleep(3);
			}
		}

		/**
		 * The time is read first: it counts when something was allowed, as nothing but a
		 * fence can stop a process that is paused right after it was.
		 */
		private void writeIfAllowed(String kind) {
			long time = System.nanoTime();
			LeaderContext.check();
			this.history.println(kind + " " + time + " " + LeaderContext.epoch());
		}

		private void write(String kind, long epoch) {
			this.history.println(kind + " " + System.nanoTime() + " " + epoch);
		}

	}

}
