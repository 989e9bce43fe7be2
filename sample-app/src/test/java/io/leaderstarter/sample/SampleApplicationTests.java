package io.leaderstarter.sample;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SampleApplication}, with an election as in production.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:sample", "leader.lease.ttl=1m", "leader.test.enabled=false" })
class SampleApplicationTests {

	@Test
	void leaderClosesInvoicesAndSendsMails(@LocalServerPort int port) {
		RestClient client = RestClient.create("http://localhost:" + port);
		String id = client.post().uri("/invoices").retrieve().body(String.class);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> client.get()
				.uri("/invoices")
				.retrieve()
				.body(String.class)
				.matches("(?is).*%s[^}]*\"closed_by\":1,\"sent_by\":1\\b.*".formatted(id)));
		assertThat(client.get().uri("/actuator/leader").retrieve().body(String.class)).contains("\"invoices\"",
				"\"outbox\"", "\"LEADER\"");
	}

}
