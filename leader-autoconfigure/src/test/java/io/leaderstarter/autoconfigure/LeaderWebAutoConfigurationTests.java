package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import io.leaderstarter.http.NotLeaderAdvice;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.test.util.TestSocketUtils;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.RestClient;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderWebAutoConfiguration}: a client never takes for done what was
 * skipped.
 */
class LeaderWebAutoConfigurationTests {

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withPropertyValues("spring.application.name=test", "leader.backend=local", "leader.lease.ttl=30s")
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
				LeaderWebAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withBean(Reports.class);

	@ParameterizedTest
	@ValueSource(strings = { "/void", "/optional", "/text" })
	void handlerIsUnavailableOnFollowers(String path) {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false")
			.run((context) -> assertThat(MockMvcTester.from(context).post().uri(path))
				.hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
				.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON)
				.bodyText()
				.contains("This instance does not lead")
				.doesNotContain("Reports"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/void", "/optional", "/text" })
	void handlerAnswersOnTheLeader(String path) {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			assertThat(MockMvcTester.from(context).post().uri(path)).hasStatusOk();
		});
	}

	@Test
	void handlerCanBeSkippedByHand() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false")
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/skipped")).hasStatusOk()
				.bodyText()
				.isEmpty());
	}

	@Test
	void adviceOfTheApplicationComesFirst() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false")
			.withBean(OwnAdvice.class)
			.run((context) -> assertThat(MockMvcTester.from(context).post().uri("/void"))
				.hasStatus(HttpStatus.CONFLICT));
	}

	@Test
	void adviceIsThereInWebApplicationsOnly() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(NotLeaderAdvice.class));
		TestContexts.local()
			.withConfiguration(AutoConfigurations.of(LeaderWebAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(NotLeaderAdvice.class));
	}

	/** As the documentation has it. */
	@Test
	@Tag("verify")
	void requestCanBeHandedOnToTheLeader() {
		String database = TestContexts.h2();
		try (ConfigurableApplicationContext leader = serve(database);
				ConfigurableApplicationContext follower = serve(database)) {
			TestContexts.await().until(() -> leader.getBean(LeaderElections.class).election("reports").isLeader());
			LeaderElections others = follower.getBean(LeaderElections.class);
			TestContexts.await().until(() -> others.leader("reports").isPresent());
			assertThat(others.leader("reports")).contains(leader.getBean(LeaderElections.class).member());
			RestClient client = RestClient.create(follower.getEnvironment().getProperty("leader.member.metadata.url"));
			assertThat(client.post().uri("/echo?name=a b").body("text").retrieve().body(String.class))
				.isEqualTo("a b: text");
			assertThat(leader.getBean(Reports.class).echoed()).isOne();
			assertThat(follower.getBean(Reports.class).echoed()).isZero();
			// What was handed on before is not handed on again.
			HttpStatusCode status = client.post()
				.uri("/echo?name=a")
				.header(ToTheLeader.HANDED_ON, "true")
				.body("text")
				.exchange((request, response) -> response.getStatusCode());
			assertThat(status).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		}
	}

	private static ConfigurableApplicationContext serve(String database) {
		int port = TestSocketUtils.findAvailableTcpPort();
		return new SpringApplicationBuilder(Server.class)
			.properties("spring.application.name=test", "spring.main.banner-mode=off", "leader.lease.ttl=5s",
					"leader.jdbc.poll-interval=50ms", "spring.datasource.url=" + database, "server.port=" + port,
					"leader.member.metadata.url=http://localhost:" + port)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Reports.class, ToTheLeader.class })
	static class Server {

	}

	static class ToTheLeader extends OncePerRequestFilter {

		static final String HANDED_ON = "Leader-Handed-On";

		private static final Set<String> NOT_HANDED_ON = Set.of("host", "content-length", "connection",
				"transfer-encoding");

		private final RestClient client = RestClient.create();

		private final LeaderElections leaders;

		ToTheLeader(LeaderElections leaders) {
			this.leaders = leaders;
		}

		@Override
		protected boolean shouldNotFilter(HttpServletRequest request) {
			return !request.getRequestURI().startsWith("/echo") || request.getHeader(HANDED_ON) != null
					|| this.leaders.election("reports").isLeader();
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			String url = this.leaders.leader("reports").map((leader) -> leader.metadata().get("url")).orElse(null);
			if (url == null) {
				chain.doFilter(request, response);
				return;
			}
			String query = (request.getQueryString() != null) ? "?" + request.getQueryString() : "";
			this.client.method(HttpMethod.valueOf(request.getMethod()))
				.uri(URI.create(url + request.getRequestURI() + query))
				.headers((headers) -> Collections.list(request.getHeaderNames())
					.stream()
					.filter((name) -> !NOT_HANDED_ON.contains(name.toLowerCase(Locale.ROOT)))
					.forEach((name) -> headers.addAll(name, Collections.list(request.getHeaders(name)))))
				.header(HANDED_ON, "true")
				.body(request.getInputStream().readAllBytes())
				.exchange((sent, answer) -> {
					response.setStatus(answer.getStatusCode().value());
					if (answer.getHeaders().getContentType() != null) {
						response.setContentType(answer.getHeaders().getContentType().toString());
					}
					return answer.getBody().transferTo(response.getOutputStream());
				});
		}

	}

	@RestController
	static class Reports {

		private final AtomicInteger echoed = new AtomicInteger();

		@PostMapping("/echo")
		@LeaderOnly("reports")
		public String echo(@RequestParam("name") String name, @RequestBody String body) {
			this.echoed.incrementAndGet();
			return name + ": " + body;
		}

		public int echoed() {
			return this.echoed.get();
		}

		@PostMapping("/void")
		@LeaderOnly("reports")
		public void close() {
		}

		@PostMapping("/optional")
		@LeaderOnly("reports")
		public Optional<String> find() {
			return Optional.of("found");
		}

		@PostMapping("/text")
		@LeaderOnly("reports")
		public String text() {
			return "text";
		}

		@GetMapping("/skipped")
		@LeaderOnly(value = "reports", otherwise = Otherwise.SKIP)
		public void skipped() {
		}

	}

	@RestControllerAdvice
	static class OwnAdvice {

		@ExceptionHandler(NotLeaderException.class)
		@ResponseStatus(HttpStatus.CONFLICT)
		String notLeader() {
			return "own";
		}

	}

}
