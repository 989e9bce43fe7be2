package io.leaderstarter.aop;

import java.util.List;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that no message is lost: methods that receive messages are never skipped.
 */
class LeaderOnlyListenerTests {

	@Test
	void listenersThrowOnFollowers() {
		TestContexts.local()
			.withPropertyValues("leader.candidate.enabled=false")
			.withBean(Listeners.class)
			.run((context) -> {
				Listeners listeners = context.getBean(Listeners.class);
				List<Runnable> all = List.of(() -> listeners.jms("m"), () -> listeners.kafka("m"),
						() -> listeners.kafkaHandler("m"), () -> listeners.rabbit("m"),
						() -> listeners.rabbitHandler("m"));
				assertThat(all).allSatisfy(
						(listener) -> assertThatExceptionOfType(NotLeaderException.class).isThrownBy(listener::run));
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { SkippingJms.class, SkippingKafka.class, SkippingRabbit.class })
	void listenerThatWouldSkipIsRefusedAtStart(Class<?> type) {
		TestContexts.local()
			.withBean("skipping", type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("a message that it skips would be lost");
					assertThat(failure.getAdvice()).contains("otherwise = THROW");
				}));
	}

	static class Listeners {

		@LeaderOnly("listener")
		@JmsListener(destination = "q")
		public void jms(String message) {
		}

		@LeaderOnly("listener")
		@KafkaListener(topics = "q")
		public void kafka(String message) {
		}

		@LeaderOnly("listener")
		@KafkaHandler
		public void kafkaHandler(String message) {
		}

		@LeaderOnly("listener")
		@RabbitListener(queues = "q")
		public void rabbit(String message) {
		}

		@LeaderOnly("listener")
		@RabbitHandler
		public void rabbitHandler(String message) {
		}

	}

	static class SkippingJms {

		@LeaderOnly(value = "listener", otherwise = Otherwise.SKIP)
		@JmsListener(destination = "q")
		public void work(String message) {
		}

	}

	static class SkippingKafka {

		@LeaderOnly(value = "listener", otherwise = Otherwise.SKIP)
		@KafkaListener(topics = "q")
		public void work(String message) {
		}

	}

	static class SkippingRabbit {

		@LeaderOnly(value = "listener", otherwise = Otherwise.SKIP)
		@RabbitListener(queues = "q")
		public void work(String message) {
		}

	}

}
