package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderEventPublisher}.
 */
class LeaderEventPublisherTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withBean(Listener.class)
		.withPropertyValues("leader.lease.ttl=1m", "test.roles=duty");

	@Test
	void eachTermGivesOnePairInOrderWithItsReason() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "duty");
			Listener listener = context.getBean(Listener.class);
			LeaderElections elections = context.getBean(LeaderElections.class);
			Leadership first = elections.election("duty").leadership().orElseThrow();
			elections.election("duty").pause();
			elections.election("duty").resume();
			TestContexts.await().until(() -> elections.election("duty").isLeader());
			Leadership second = elections.election("duty").leadership().orElseThrow();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			TestContexts.await()
				.untilAsserted(() -> assertThat(listener.events).containsExactly(new LeadershipGrantedEvent(first),
						new LeadershipRevokedEvent(first, RevocationReason.PAUSED), new LeadershipGrantedEvent(second),
						new LeadershipRevokedEvent(second, RevocationReason.SHUTDOWN)));
			assertThat(second.epoch()).isGreaterThan(first.epoch());
		});
	}

	@Test
	void listenerThatFailsHarmsNeitherTheTermNorLaterEvents() {
		this.contextRunner.withBean(FailingListener.class).run((context) -> {
			TestContexts.lead(context, "duty");
			FailingListener failing = context.getBean(FailingListener.class);
			LeaderElections elections = context.getBean(LeaderElections.class);
			elections.election("duty").pause();
			elections.election("duty").resume();
			TestContexts.await().until(() -> failing.events.size() == 3);
			assertThat(elections.election("duty").isLeader()).isTrue();
			assertThat(failing.events).hasExactlyElementsOfTypes(LeadershipGrantedEvent.class,
					LeadershipRevokedEvent.class, LeadershipGrantedEvent.class);
		});
	}

	@Test
	void listenersCanHaveTransactions() {
		TestContexts.jdbc(TestContexts.h2())
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
					TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
			.withPropertyValues("test.roles=duty")
			.withBean(TransactionalListener.class)
			.run((context) -> {
				TransactionalListener listener = context.getBean(TransactionalListener.class);
				context.getBean(JdbcTemplate.class).execute("create table term (epoch bigint)");
				TestContexts.lead(context, "duty");
				TestContexts.await().untilAsserted(() -> {
					assertThat(listener.notified()).containsExactlyInAnyOrder("in a transaction", "without one");
					assertThat(context.getBean(JdbcTemplate.class).queryForList("select epoch from term", Long.class))
						.containsExactly(1L);
				});
			});
	}

	@Test
	void followerPublishesNothing() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false").run((context) -> {
			TestContexts.ready(context);
			Listener listener = context.getBean(Listener.class);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			assertThat(listener.events).isEmpty();
		});
	}

	static class Listener {

		final List<Object> events = new CopyOnWriteArrayList<>();

		@EventListener
		void granted(LeadershipGrantedEvent event) {
			this.events.add(event);
		}

		@EventListener
		void revoked(LeadershipRevokedEvent event) {
			this.events.add(event);
		}

	}

	static class TransactionalListener {

		private final JdbcTemplate jdbc;

		private final List<String> notified = new CopyOnWriteArrayList<>();

		TransactionalListener(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@EventListener
		@Transactional
		public void write(LeadershipGrantedEvent event) {
			this.jdbc.update("insert into term (epoch) values (?)", event.leadership().epoch());
			this.notified
				.add(TransactionSynchronizationManager.isActualTransactionActive() ? "in a transaction" : "bad");
		}

		@TransactionalEventListener(fallbackExecution = true)
		public void afterCommit(LeadershipGrantedEvent event) {
			this.notified.add("without one");
		}

		public List<String> notified() {
			return this.notified;
		}

	}

	static class FailingListener {

		final List<Object> events = new CopyOnWriteArrayList<>();

		@EventListener({ LeadershipGrantedEvent.class, LeadershipRevokedEvent.class })
		void fail(Object event) {
			this.events.add(event);
			throw new IllegalStateException("own");
		}

	}

}
