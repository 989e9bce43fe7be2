package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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
		}

		@Scheduled(fixedDelay = 20)
		@LeaderOnly("job")
		public void run() throws InterruptedException {
			this.history.println("begin " + System.nanoTime() + " " + LeaderContext.epoch());
			for (int step = 0; step < 10; step++) {
				// The time is read first: the step counts for when it was allowed, as
				// nothing
				// but a fence can stop a process that is paused right after it was.
				long time = System.nanoTime();
				LeaderContext.check();
				this.history.println("step " + time + " " + LeaderContext.epoch());
				Thread.sleep(3);
			}
			this.history.println("end " + System.nanoTime() + " " + LeaderContext.epoch());
		}

	}

}
