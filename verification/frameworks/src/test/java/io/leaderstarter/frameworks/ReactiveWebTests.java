package io.leaderstarter.frameworks;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that handlers of Spring WebFlux answer on the leader only.
 */
class ReactiveWebTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "later", "text" })
	void followerAnswersThatItIsUnavailable(String path) throws Exception {
		try (ConfigurableApplicationContext context = start("leader.candidate.enabled=false")) {
			HttpResponse<String> response = get(context, path);
			assertThat(response.statusCode()).isEqualTo(503);
			assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
			assertThat(response.body()).contains("This instance does not lead").doesNotContain("Handlers");
		}
	}

	@Test
	void leaderAnswers() throws Exception {
		try (ConfigurableApplicationContext context = start("leader.candidate.enabled=true")) {
			LeaderElections elections = context.getBean(LeaderElections.class);
			Awaitility.await().atMost(PATIENCE).until(() -> elections.election("web").isLeader());
			assertThat(get(context, "nothing").statusCode()).isEqualTo(200);
			assertThat(get(context, "later").body()).isEqualTo("later");
			assertThat(get(context, "text").body()).isEqualTo("text");
		}
	}

	private static ConfigurableApplicationContext start(String property) {
		return new SpringApplicationBuilder(Application.class)
			.properties("spring.main.web-application-type=reactive", "spring.main.banner-mode=off", "server.port=0",
					"spring.application.name=reactive", "leader.backend=local", property)
			.run();
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
		String port = context.getEnvironment().getProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + path)).build(),
					HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

	}

	@RestController
	@LeaderOnly("web")
	static class Handlers {

		@GetMapping("/nothing")
		public void nothing() {
		}

		@GetMapping("/later")
		public Mono<String> later() {
			return Mono.just("later");
		}

		@GetMapping("/text")
		public String text() {
			return "text";
		}

	}

}
