package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.fencing.receiver.FencingGuard;
import io.leaderstarter.http.LeaderEpochInterceptor;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaderHttpAutoConfiguration}, against a server that keeps a
 * {@link FencingGuard}.
 */
class LeaderHttpAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("leader.http.send-epoch=true")
		.withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class, RestTemplateAutoConfiguration.class,
				LeaderHttpAutoConfiguration.class));

	private final FencingGuard guard = new FencingGuard();

	private final List<Headers> received = new CopyOnWriteArrayList<>();

	private HttpServer server;

	@BeforeEach
	void startServer() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	@AfterEach
	void stopServer() {
		this.server.stop(0);
	}

	@Test
	void requestOfACallCarriesItsTerm() {
		this.contextRunner.run((context) -> {
			during(() -> post(context), term("invoices", 7));
			assertThat(this.received).singleElement().satisfies((headers) -> {
				assertThat(headers.get("Leader-Role")).containsExactly("invoices");
				assertThat(headers.get("Leader-Epoch")).containsExactly("7");
				assertThat(headers.get("Leader-Term-Id")).containsExactly("term-of-invoices-7");
			});
		});
	}

	@Test
	void restTemplatesSendItAsWell() {
		this.contextRunner.run((context) -> {
			during(() -> context.getBean(RestTemplateBuilder.class).build().postForLocation(url(), "body"),
					term("invoices", 7));
			assertThat(this.received).singleElement()
				.satisfies((headers) -> assertThat(headers.get("Leader-Epoch")).containsExactly("7"));
		});
	}

	@Test
	void nestedCallsSendAllTermsTheInnermostFirst() {
		this.contextRunner.run((context) -> {
			during(() -> post(context), term("invoices", 7), term("reports", 3));
			assertThat(this.received).singleElement().satisfies((headers) -> {
				assertThat(headers.get("Leader-Role")).containsExactly("reports, invoices");
				assertThat(headers.get("Leader-Epoch")).containsExactly("3, 7");
				assertThat(headers.get("Leader-Term-Id")).containsExactly("term-of-reports-3, term-of-invoices-7");
			});
		});
	}

	@Test
	void requestOutsideOfCallsCarriesNothing() {
		this.contextRunner.run((context) -> {
			post(context);
			assertThat(this.received).singleElement()
				.satisfies((headers) -> assertThat(headers.keySet()).noneMatch((name) -> name.startsWith("Leader-")));
		});
	}

	@Test
	void requestOfATermThatIsOverIsNotSent() {
		this.contextRunner.run((context) -> {
			TestTerm outer = term("invoices", 7);
			during(() -> {
				outer.end();
				assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> post(context));
			}, outer, term("reports", 3));
			assertThat(this.received).isEmpty();
		});
	}

	@Test
	void receiverRefusesARequestOfAnEarlierTermThatDoesNotKnowYet() {
		this.contextRunner.run((context) -> {
			during(() -> post(context), term("invoices", 8));
			during(() -> assertThatExceptionOfType(HttpClientErrorException.Conflict.class)
				.isThrownBy(() -> post(context)), term("invoices", 7));
		});
	}

	@Test
	void nothingIsSentUnlessTheApplicationWantsIt() {
		this.contextRunner.withPropertyValues("leader.http.send-epoch=false").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LeaderEpochInterceptor.class);
			during(() -> post(context), term("invoices", 7));
			assertThat(this.received).singleElement()
				.satisfies((headers) -> assertThat(headers.keySet()).noneMatch((name) -> name.startsWith("Leader-")));
		});
	}

	@Test
	void interceptorOfTheApplicationIsUsedInstead() {
		LeaderEpochInterceptor own = new LeaderEpochInterceptor();
		this.contextRunner.withBean(LeaderEpochInterceptor.class, () -> own)
			.run((context) -> assertThat(context.getBean(LeaderEpochInterceptor.class)).isSameAs(own));
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.boot.restclient", "org.springframework.http.client" })
	void contextStartsWithoutHttpClients(String missing) {
		new ApplicationContextRunner().withPropertyValues("leader.http.send-epoch=true")
			.withConfiguration(AutoConfigurations.of(LeaderHttpAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderHttpAutoConfiguration.class));
	}

	/** Does something in nested calls, the outermost term first. */
	private static void during(Runnable work, ActiveTerm... terms) {
		List<LeaderContext.Scope> scopes = new ArrayList<>();
		try {
			for (ActiveTerm term : terms) {
				scopes.add(0, LeaderContext.open(term));
			}
			work.run();
		}
		finally {
			scopes.forEach(LeaderContext.Scope::close);
		}
	}

	private void post(ApplicationContext context) {
		RestClient client = context.getBean(RestClient.Builder.class).build();
		client.post().uri(url()).body("body").retrieve().toBodilessEntity();
	}

	private String url() {
		return "http://127.0.0.1:%d/".formatted(this.server.getAddress().getPort());
	}

	private void answer(HttpExchange exchange) throws IOException {
		exchange.getRequestBody().readAllBytes();
		Headers headers = exchange.getRequestHeaders();
		this.received.add(headers);
		int status = 204;
		String epoch = headers.getFirst("Leader-Epoch");
		if (epoch != null && !epoch.contains(",")) {
			try {
				this.guard.check(headers.getFirst("Leader-Role"), Long.parseLong(epoch),
						headers.getFirst("Leader-Term-Id"));
			}
			catch (StaleLeaderException ex) {
				status = 409;
			}
		}
		exchange.sendResponseHeaders(status, -1);
		exchange.close();
	}

	private static TestTerm term(String role, long epoch) {
		return new TestTerm(
				new Leadership(role, epoch, "term-of-%s-%d".formatted(role, epoch), "member", Instant.now()));
	}

}
