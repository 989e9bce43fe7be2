package io.leaderstarter.actuate;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.testsupport.TestTerm;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Compares {@code docs/operations.md}, the dashboard and the alerts with the output of an
 * application. That is written to {@code build/shown}, to be copied from.
 */
class OperationsDocTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Path SHOWN = Path.of("build", "shown");

	private static ConfigurableApplicationContext context;

	private static String text;

	@BeforeAll
	static void startAnApplicationInWhichEverythingHappened() throws IOException {
		text = Files.readString(DOCS.resolve("operations.md"));
		context = new SpringApplicationBuilder(Application.class)
			.properties("spring.application.name=billing", "server.port=0", "spring.main.banner-mode=off",
					"spring.datasource.url=" + TestContexts.h2(), "leader.member.id-prefix=billing-1",
					"leader.member.metadata.zone=eu-1", "leader.lease.ttl=12s", "leader.lease.renew-interval=500ms",
					"management.info.leader-roles.enabled=true", "management.endpoints.web.exposure.include=*",
					"management.endpoint.leader.access=unrestricted", "management.endpoint.health.show-details=always",
					"spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=leader",
					"spring.jmx.default-domain=operations")
			.run();
		LeaderElections elections = context.getBean(LeaderElections.class);
		Job job = context.getBean(Job.class);
		job.close();
		TestContexts.await().until(() -> elections.election("invoices").isLeader());
		job.close();
		refuseAWrite();
		elections.election("invoices").pause();
		TestContexts.await().until(() -> !meters("leader.terms").isEmpty());
		elections.election("invoices").resume();
		TestContexts.await().until(() -> elections.election("invoices").isLeader());
		TestContexts.await().until(() -> !meters("leader.requests", "renew").isEmpty());
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@Test
	void answersHaveTheKeysThatTheDocumentShows() throws Exception {
		Matcher shown = Pattern
			.compile("```\\n\\$ curl (-s )?localhost:8080(\\S+)\\n```\\n+```json\\n(.*?)```", Pattern.DOTALL)
			.matcher(text);
		List<String> paths = new ArrayList<>();
		while (shown.find()) {
			String path = shown.group(2);
			paths.add(path);
			HttpResponse<String> response = send("GET", path, "");
			assertThat(response.statusCode()).as(path).isEqualTo(200);
			Files.createDirectories(SHOWN);
			Files.writeString(SHOWN.resolve(path.substring(1).replace('/', '-') + ".json"), response.body());
			assertThat(keys(parse(shown.group(3)), "")).as(path).isEqualTo(keys(parse(response.body()), ""));
		}
		assertThat(paths).contains("/actuator/leader", "/actuator/leader/invoices", "/actuator/health/leader",
				"/actuator/info");
	}

	@Test
	void actionsOnARoleWorkAsDocumented() throws Exception {
		Matcher shown = Pattern
			.compile("\\$ curl -X POST -H 'Content-Type: application/json' -d '(.+)' localhost:8080(\\S+)\\n")
			.matcher(text);
		int requests = 0;
		while (shown.find()) {
			assertThat(send("POST", shown.group(2), shown.group(1)).statusCode()).as(shown.group()).isEqualTo(204);
			requests++;
		}
		assertThat(requests).isGreaterThanOrEqualTo(3);
		assertThat(send("POST", "/actuator/leader/unknown", "{\"action\":\"pause\"}").statusCode()).isEqualTo(404);
		assertThat(send("POST", "/actuator/leader/invoices", "{\"action\":\"shoot\"}").statusCode()).isEqualTo(400);
		// The last request of the document paused all roles.
		DefaultLeaderElections status = context.getBean(DefaultLeaderElections.class);
		TestContexts.await().until(() -> status.status("invoices").own() == null);
		HttpResponse<String> refused = send("POST", "/actuator/leader/invoices", "{\"action\":\"resign\"}");
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat((String) parse(refused.body()).get("reason")).contains("resign on the leader");
		LeaderElections elections = context.getBean(LeaderElections.class);
		elections.resume();
		// A member that resigned backs off for longer than a lease.
		TestContexts.await().atMost(Duration.ofMinutes(1)).until(() -> elections.election("invoices").isLeader());
	}

	@Test
	void endpointIsThereByJmxToo() throws Exception {
		MBeanServer server = ManagementFactory.getPlatformMBeanServer();
		ObjectName name = server.queryNames(new ObjectName("*:type=Endpoint,name=Leader,*"), null).iterator().next();
		Object shown = server.invoke(name, "role", new Object[] { "invoices" },
				new String[] { String.class.getName() });
		assertThat(shown).asInstanceOf(InstanceOfAssertFactories.MAP).containsKeys("state", "epoch", "history");
	}

	@Test
	void tableOfMetersIsComplete() {
		Set<String> documented = new TreeSet<>();
		Matcher row = Pattern.compile("\\| `(leader\\.[a-z.]+)` \\| (\\w[\\w ]*) \\|([^|]*)\\|").matcher(text);
		while (row.find()) {
			String tags = Stream.of(row.group(3).split(","))
				.map((tag) -> tag.strip().replace("`", ""))
				.filter((tag) -> !tag.isEmpty())
				.sorted()
				.collect(Collectors.joining(","));
			documented.add(row.group(1) + " " + row.group(2) + " [" + tags + "]");
		}
		Set<String> real = context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((id) -> id.getName().startsWith("leader."))
			.map((id) -> id.getName() + " " + type(id) + " ["
					+ id.getTags().stream().map((tag) -> tag.getKey()).sorted().collect(Collectors.joining(",")) + "]")
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(documented).isEqualTo(real);
		assertThat(context.getBean(MeterRegistry.class).getMeters()).map(Meter::getId)
			.filteredOn((id) -> id.getName().startsWith("leader.") && !id.getName().startsWith("leader.execution"))
			.allSatisfy((id) -> assertThat(id.getDescription()).as(id.getName()).isNotBlank());
	}

	@Test
	void dashboardAndAlertsAskForMetersThatAreThere() throws Exception {
		String scrape = send("GET", "/actuator/prometheus", "").body();
		Files.createDirectories(SHOWN);
		Files.writeString(SHOWN.resolve("prometheus.txt"), scrape);
		for (String file : List.of("grafana-dashboard.json", "prometheus-alerts.yml")) {
			Matcher name = Pattern.compile("\\bleader_[a-z_]+").matcher(Files.readString(DOCS.resolve(file)));
			Set<String> names = new TreeSet<>();
			while (name.find()) {
				names.add(name.group());
			}
			assertThat(names).as(file)
				.isNotEmpty()
				.allSatisfy((meter) -> assertThat(scrape.lines()).as(meter)
					.anyMatch((line) -> line.startsWith(meter + "{") || line.startsWith(meter + " ")));
		}
		JsonParserFactory.getJsonParser().parseMap(Files.readString(DOCS.resolve("grafana-dashboard.json")));
	}

	/** Writes as a member that was deposed and did not detect it. */
	private static void refuseAWrite() {
		Leadership own = context.getBean(LeaderElections.class).election("invoices").leadership().orElseThrow();
		Leadership earlier = new Leadership("invoices", own.epoch() - 1, "earlier", "zombie", own.grantedAt());
		LeaderContext.Scope scope = LeaderContext.open(new TestTerm(earlier));
		try (scope) {
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(
					() -> context.getBean(FencedJdbcTemplate.class).update("create table should_not_be (id int)"));
		}
	}

	private static String type(Meter.Id id) {
		return switch (id.getType()) {
			case GAUGE -> "gauge";
			case COUNTER -> "counter";
			case TIMER -> "timer";
			case LONG_TASK_TIMER -> "long task timer";
			default -> id.getType().name();
		};
	}

	private static List<Meter> meters(String name, String... tagValues) {
		return context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().equals(name) && Stream.of(tagValues)
				.allMatch((value) -> meter.getId().getTags().stream().anyMatch((tag) -> tag.getValue().equals(value))))
			.toList();
	}

	/** The first element of a list represents all. */
	private static Set<String> keys(Object json, String path) {
		Set<String> keys = new TreeSet<>();
		if (json instanceof Map<?, ?> map) {
			map.forEach((key, value) -> {
				keys.add(path + "/" + key);
				keys.addAll(keys(value, path + "/" + key));
			});
		}
		else if (json instanceof List<?> list && !list.isEmpty()) {
			keys.addAll(keys(list.get(0), path + "[]"));
		}
		return keys;
	}

	private static Map<String, Object> parse(String json) {
		return JsonParserFactory.getJsonParser().parseMap(json);
	}

	private static HttpResponse<String> send(String method, String path, String body)
			throws IOException, InterruptedException {
		String port = context.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.method(method, HttpRequest.BodyPublishers.ofString(body))
			.header("Content-Type", "application/json")
			.build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Job job() {
			return new Job();
		}

	}

	static class Job {

		@LeaderOnly("invoices")
		@Transactional
		void close() {
			// Nothing to do; its transaction is checked all the same.
		}

	}

}
