package io.leaderstarter.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.TestContexts;
import io.leaderstarter.testsupport.JoinedRoles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderEndpoint}, as it is served.
 */
class LeaderEndpointTests {

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		context = start("1m");
	}

	private static ConfigurableApplicationContext start(String ttl) {
		ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
			.initializers(new JoinedRoles())
			.properties("spring.application.name=test", "server.port=0", "spring.main.banner-mode=off",
					"spring.datasource.url=" + TestContexts.h2(), "spring.datasource.password=s3cret",
					"management.endpoints.web.exposure.include=leader,health",
					"management.endpoint.health.show-details=always", "management.endpoint.health.probes.enabled=true",
					"leader.member.id-prefix=web", "leader.member.metadata.zone=eu-1", "leader.lease.ttl=" + ttl,
					"test.roles=led,billing.invoices,observed", "leader.roles.observed.candidate=false")
			.run();
		LeaderElections elections = started.getBean(LeaderElections.class);
		TestContexts.await()
			.until(() -> elections.election("led").isLeader() && elections.election("billing.invoices").isLeader());
		return started;
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@Test
	void showsMemberBackendAndAllRoles() throws Exception {
		HttpResponse<String> response = get("/actuator/leader");
		assertThat(response.statusCode()).isEqualTo(200);
		Map<String, Object> body = parse(response);
		assertThat(body).containsOnlyKeys("member", "backend", "longestPause", "members", "roles");
		assertThat(map(body.get("member"))).containsEntry("metadata", Map.of("zone", "eu-1"))
			.containsEntry("id", memberId());
		assertThat(map(body.get("backend"))).containsEntry("name", "jdbc")
			.containsEntry("reachable", true)
			.containsKey("sinceAnswer");
		assertThat(map(body.get("roles"))).containsOnlyKeys("billing.invoices", "observed", "led");
	}

	@Test
	void showsTheTermOfARoleThatThisMemberLeads() throws Exception {
		HttpResponse<String> response = get("/actuator/leader/led");
		assertThat(response.statusCode()).isEqualTo(200);
		Leadership own = context.getBean(LeaderElections.class).election("led").leadership().orElseThrow();
		Map<String, Object> role = parse(response);
		assertThat(role).containsEntry("state", "LEADER").containsEntry("leader", memberId()).containsEntry("epoch", 1);
		assertThat(Instant.parse((String) role.get("grantedAt"))).isEqualTo(own.grantedAt());
		assertThat(Duration.parse((String) role.get("timeLeft"))).isPositive().isLessThan(Duration.ofMinutes(1));
	}

	@Test
	void showsOtherMembersAndCandidatesAsSafeText() throws Exception {
		// Members are listed once per ttl.
		try (ConfigurableApplicationContext brief = start("4s")) {
			// Another process, with one that wrote what it wanted into the same table.
			JdbcTemplate jdbc = new JdbcTemplate(brief.getBean(DataSource.class));
			String id = memberId(brief);
			TestContexts.await().until(() -> !list(parse(get(brief, "/actuator/leader")).get("members")).isEmpty());
			jdbc.update(
					"insert into leader_member select namespace, 'zz-other', version, 1000000000000, seen_at_us, "
							+ "replace(presence, 'eu-1', 'us-2%0A%1B%5B31mred') from leader_member where member_id = ?",
					id);
			Map<String, Object> own = Map.of("id", id, "metadata", Map.of("zone", "eu-1"));
			Map<String, Object> other = Map.of("id", "zz-other", "metadata", Map.of("zone", "us-2??[31mred"));
			TestContexts.await().untilAsserted(() -> {
				assertThat(list(parse(get(brief, "/actuator/leader")).get("members"))).isEqualTo(List.of(own, other));
				Map<String, Object> role = parse(get(brief, "/actuator/leader/led"));
				assertThat(list(role.get("candidates"))).hasSize(2);
				assertThat(map(list(role.get("candidates")).get(1))).containsAllEntriesOf(other)
					.containsEntry("priority", 0);
				assertThat(map(role.get("leaderMetadata"))).isEqualTo(Map.of("zone", "eu-1"));
				assertThat(list(parse(get(brief, "/actuator/leader/observed")).get("candidates"))).isEmpty();
				// Once is enough: thousands of roles may have the same candidates.
				Map<String, Object> among = map(map(parse(get(brief, "/actuator/leader")).get("roles")).get("led"));
				assertThat(list(among.get("candidates"))).hasSize(2)
					.allSatisfy((candidate) -> assertThat(map(candidate)).containsOnlyKeys("id", "priority"));
				assertThat(among).doesNotContainKey("leaderMetadata");
			});
		}
	}

	@Test
	void showsARoleWithoutALeader() throws Exception {
		// Nothing is known before the first poll.
		TestContexts.await().until(() -> parse(get("/actuator/leader/observed")).get("age") != null);
		assertThat(parse(get("/actuator/leader/observed"))).containsEntry("state", "FOLLOWER")
			.containsEntry("epoch", 0)
			.doesNotContainKeys("leader", "grantedAt", "timeLeft");
	}

	@Test
	void roleWithADotCanBeAskedFor() throws Exception {
		assertThat(parse(get("/actuator/leader/billing.invoices"))).containsEntry("state", "LEADER");
	}

	@Test
	void roleThatWasNotJoinedIsNotFound() throws Exception {
		assertThat(get("/actuator/leader/unknown").statusCode()).isEqualTo(404);
	}

	@Test
	void showsWhatHappenedToARole() throws Exception {
		Map<String, Object> role = parse(get("/actuator/leader/led"));
		assertThat(role).containsEntry("fences", List.of("dataSource"))
			.containsEntry("paused", false)
			.containsEntry("stale", false)
			.containsEntry("counts", Map.of("granted", 1, "revoked", 0, "executed", 0, "skipped", 0));
		assertThat((List<?>) role.get("history")).hasSize(2);
		assertThat(map(((List<?>) role.get("history")).get(1))).containsEntry("from", "ACQUIRED")
			.containsEntry("to", "LEADER")
			.containsEntry("epoch", 1)
			.containsKey("at");
	}

	@Test
	void nothingCanBeChangedByItUnlessThatIsAllowed() throws Exception {
		for (String method : new String[] { "POST", "PUT", "DELETE" }) {
			assertThat(send(method, "/actuator/leader/led", "{\"action\":\"pause\"}").statusCode()).isEqualTo(405);
			assertThat(send(method, "/actuator/leader", "{\"action\":\"pause\"}").statusCode()).isEqualTo(405);
		}
		assertThat(context.getBean(LeaderElections.class).election("led").isLeader()).isTrue();
	}

	@Test
	void noSecretIsInIt() throws Exception {
		assertThat(get("/actuator/leader").body()).doesNotContain("s3cret").doesNotContain("jdbc:");
	}

	@Test
	void healthIsPartOfTheApplications() throws Exception {
		Map<String, Object> leader = map(map(parse(get("/actuator/health")).get("components")).get("leader"));
		assertThat(leader).containsEntry("status", "UP");
		assertThat(map(leader.get("details"))).containsEntry("backend", "jdbc").containsEntry("backendReachable", true);
	}

	@Test
	void readinessAndLivenessDoNotDependOnIt() {
		HealthEndpointGroups groups = context.getBean(HealthEndpointGroups.class);
		assertThat(groups.getPrimary().isMember("leader")).isTrue();
		assertThat(groups.get("readiness").isMember("leader")).isFalse();
		assertThat(groups.get("liveness").isMember("leader")).isFalse();
	}

	private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return get(context, path);
	}

	private static HttpResponse<String> get(ApplicationContext application, String path)
			throws IOException, InterruptedException {
		return send(application, "GET", path, "");
	}

	private static HttpResponse<String> send(String method, String path, String body)
			throws IOException, InterruptedException {
		return send(context, method, path, body);
	}

	private static HttpResponse<String> send(ApplicationContext application, String method, String path, String body)
			throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.method(method, HttpRequest.BodyPublishers.ofString(body))
			.header("Content-Type", "application/json")
			.build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static Map<String, Object> parse(HttpResponse<String> response) {
		return JsonParserFactory.getJsonParser().parseMap(response.body());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> map(Object value) {
		return (Map<String, Object>) value;
	}

	private static List<?> list(Object value) {
		return (List<?>) value;
	}

	private static String memberId() {
		return memberId(context);
	}

	private static String memberId(ApplicationContext application) {
		return application.getBean(LeaderElections.class).member().id();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
