package io.leaderstarter.sample;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import org.springframework.stereotype.Component;

/**
 * Sends on another thread. The role is kept until the future is complete, and the term is
 * propagated to the task.
 */
@Component
class Outbox {

	private final FencedJdbcTemplate jdbc;

	private final Executor executor;

	Outbox(FencedJdbcTemplate jdbc, Executor applicationTaskExecutor) {
		this.jdbc = jdbc;
		this.executor = applicationTaskExecutor;
	}

	@LeaderOnly("outbox")
	CompletableFuture<Integer> sendAgain(String recipient) {
		return CompletableFuture.supplyAsync(
				() -> this.jdbc.update("update outbox set sent_by = null where recipient = ?", recipient),
				this.executor);
	}

	@Configuration(proxyBeanMethods = false)
	static class Tasks {

		/** Used by every executor that Spring Boot creates. */
		@Bean
		TaskDecorator termsGoAlong() {
			return LeaderContext::wrap;
		}

	}

}
