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

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderEventPublisher}.
 */
class LeaderEventPublisherTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withBean(Listener.class)
		.withPropertyValues("leader.lease.ttl=2s", "leader.roles.duty.candidate=true");

	@Test
	void eachTermGivesOnePairInOrderWithItsReason() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "duty");
			Listener listener = context.getBean(Listener.class);
			LeaderElections elections = context.getBean(LeaderElections.class);
			Leadership first = elections.election("duty").leadership().orElseThrow();
			elections.election("duty").resign();
			TestContexts.await().until(() -> elections.election("duty").isLeader());
			Leadership second = elections.election("duty").leadership().orElseThrow();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			assertThat(listener.events).containsExactly(new LeadershipGrantedEvent(first),
					new LeadershipRevokedEvent(first, RevocationReason.RESIGNED), new LeadershipGrantedEvent(second),
					new LeadershipRevokedEvent(second, RevocationReason.SHUTDOWN));
			assertThat(second.epoch()).isGreaterThan(first.epoch());
		});
	}

	@Test
	void listenerThatFailsHarmsNeitherTheTermNorLaterEvents() {
		this.contextRunner.withBean(FailingListener.class).run((context) -> {
			TestContexts.lead(context, "duty");
			Listener listener = context.getBean(Listener.class);
			context.getBean(LeaderElections.class).election("duty").resign();
			TestContexts.await()
				.until(() -> context.getBean(FailingListener.class).events.stream()
					.anyMatch(LeadershipRevokedEvent.class::isInstance));
			TestContexts.await().until(() -> context.getBean(LeaderElections.class).election("duty").isLeader());
			assertThat(listener).isNotNull();
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

	static class FailingListener {

		final List<Object> events = new CopyOnWriteArrayList<>();

		@EventListener({ LeadershipGrantedEvent.class, LeadershipRevokedEvent.class })
		void fail(Object event) {
			this.events.add(event);
			throw new IllegalStateException("own");
		}

	}

}
