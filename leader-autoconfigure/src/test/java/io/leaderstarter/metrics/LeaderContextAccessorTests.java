package io.leaderstarter.metrics;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderContextAccessor}, with Spring's decorator of tasks.
 */
class LeaderContextAccessorTests {

	private final ExecutorService pool = Executors.newSingleThreadExecutor();

	private final ContextPropagatingTaskDecorator decorator = new ContextPropagatingTaskDecorator();

	@AfterEach
	void stop() {
		this.pool.shutdownNow();
	}

	@Test
	void termGoesWithTheTaskAndStaysNowhere() throws Exception {
		long[] seen = new long[1];
		Runnable task;
		try (LeaderContext.Scope scope = LeaderContext.open(new TestTerm("role", 7))) {
			assertThat(scope).isNotNull();
			task = this.decorator.decorate(() -> seen[0] = LeaderContext.epoch());
		}
		this.pool.submit(task).get(20, TimeUnit.SECONDS);
		assertThat(seen[0]).isEqualTo(7);
		assertThat(this.pool.submit(LeaderContext::snapshot).get(20, TimeUnit.SECONDS)).isNull();
	}

}
