package io.leaderstarter.processes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.OnLoss;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application whose work has every shape that it can have.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
@EnableAsync
class WorkApplication {

	public static void main(String[] args) {
		SpringApplication.run(WorkApplication.class, args);
	}

	@Bean
	Work work(LeaderElections elections, @Lazy Work self) throws IOException {
		return new Work(elections, self, Path.of(System.getProperty("history")));
	}

	static class Work implements InitializingBean {

		private final LeaderElections elections;

		/** Its proxy, as calls from within are not seen. */
		private final Work self;

		private final PrintStream history;

		Work(LeaderElections elections, Work self, Path history) throws IOException {
			this.elections = elections;
			this.self = self;
			this.history = new PrintStream(Files.newOutputStream(history), true);
		}

		@Override
		public void afterPropertiesSet() throws InterruptedException {
			if (this.elections.runExclusively("migration", Duration.ofSeconds(60), () -> write("migrated"))) {
				this.history.println("done " + System.nanoTime() + " 0");
			}
		}

		@EventListener
		public void on(ApplicationReadyEvent event) {
			this.history.println("up " + System.nanoTime() + " 0");
		}

		@EventListener
		public void on(LeadershipGrantedEvent event) {
			if (event.leadership().role().equals("work")) {
				this.history.println("granted " + System.nanoTime() + " " + event.leadership().epoch());
			}
		}

		@Scheduled(fixedDelay = 50)
		@LeaderOnly("work")
		public void plain() {
			write("plain");
		}

		@Scheduled(fixedDelay = 50)
		@LeaderOnly("work")
		public Mono<Void> stream() {
			return Mono.fromRunnable(() -> write("stream"));
		}

		@Scheduled(fixedDelay = 50)
		@LeaderOnly(value = "work", awaitUpTo = "100ms", onLoss = OnLoss.INTERRUPT)
		public void awaited() {
			write("awaited");
		}

		@Scheduled(fixedDelay = 50)
		@LeaderOnly(value = "work", atMostEvery = "1h")
		public void hourly() {
			write("hourly");
		}

		@LeaderOnly("work")
		public Optional<Long> optional() {
			write("optional");
			return Optional.of(LeaderContext.epoch());
		}

		@LeaderOnly("work")
		public CompletableFuture<Void> future() {
			return CompletableFuture.runAsync(LeaderContext.wrap((Runnable) () -> write("future")));
		}

		@Async
		@LeaderOnly("work")
		public void async() {
			write("async");
		}

		@Scheduled(fixedDelay = 50)
		public void everywhere() {
			this.self.optional();
			this.self.async();
			this.elections.election("work").runIfLeader(() -> write("inCode"));
			if (this.elections.election("work").isLeader()) {
				this.self.future();
			}
		}

		private void write(String kind) {
			LeaderContext.check();
			this.history.println(kind + " " + System.nanoTime() + " " + LeaderContext.epoch());
		}

	}

}
