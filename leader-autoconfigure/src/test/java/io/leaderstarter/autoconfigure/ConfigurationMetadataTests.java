package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leaderstarter.election.membership.Placement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the metadata of properties.
 */
class ConfigurationMetadataTests {

	private static Map<String, Object> metadata;

	private static Map<String, Map<String, Object>> properties;

	@BeforeAll
	static void readMetadata() throws IOException {
		for (URL url : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream stream = url.openStream()) {
				String json = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
				if (json.contains("\"io.leaderstarter.autoconfigure.LeaderProperties\"")) {
					metadata = JsonParserFactory.getJsonParser().parseMap(json);
				}
			}
		}
		properties = list("properties")
			.collect(Collectors.toMap((property) -> (String) property.get("name"), Function.identity()));
	}

	@Test
	void everyPropertyHasATypeAndADescription() {
		assertThat(properties).hasSizeGreaterThan(15).allSatisfy((name, property) -> {
			assertThat(name)
				.matches("(leader|management\\.(endpoint|health)\\.leader|management\\.info\\.leader-roles)\\..+");
			assertThat((String) property.get("type")).isNotBlank();
			// Boot's rules: a sentence that begins with neither article.
			assertThat((String) property.get("description")).endsWith(".")
				.doesNotStartWith("The ")
				.doesNotStartWith("A ");
		});
	}

	@Test
	void everyPropertyHasADefaultOrSaysWhatItIsOtherwise() {
		List<String> free = List.of("leader.member.metadata", "leader.roles");
		assertThat(properties).allSatisfy((name, property) -> {
			if (!property.containsKey("defaultValue") && !free.contains(name)) {
				assertThat((String) property.get("description")).as(name).containsAnyOf("Defaults to", "Left out");
			}
		});
	}

	@Test
	void defaultsAreThoseOfTheCode() {
		LeaderProperties leader = TestProperties.of(LeaderProperties.class);
		LeaderJdbcProperties jdbc = TestProperties.of(LeaderJdbcProperties.class);
		assertThat(properties.get("leader.lease.ttl")).containsEntry("defaultValue",
				leader.lease().ttl().toSeconds() + "s");
		assertThat(properties.get("leader.shutdown.drain-timeout")).containsEntry("defaultValue",
				leader.shutdown().drainTimeout().toSeconds() + "s");
		assertThat(properties.get("leader.candidate.enabled")).containsEntry("defaultValue",
				leader.candidate().enabled());
		assertThat(properties.get("leader.candidate.priority")).containsEntry("defaultValue",
				leader.candidate().priority());
		assertThat(properties.get("leader.placement")).containsEntry("defaultValue", "first-come");
		assertThat(leader.placement()).isEqualTo(Placement.FIRST_COME);
		assertThat(properties.get("leader.jdbc.poll-interval")).containsEntry("defaultValue",
				jdbc.pollInterval().toMillis() + "ms");
		assertThat(properties.get("leader.schema.table-prefix")).containsEntry("defaultValue",
				TestProperties.of(LeaderSchemaProperties.class).tablePrefix());
		assertThat(properties.get("leader.schema.initialize")).containsEntry("defaultValue", "always");
	}

	@Test
	void defaultsOfZooKeeperAreThoseOfTheCode() {
		LeaderZooKeeperProperties zooKeeper = TestProperties.of(LeaderZooKeeperProperties.class);
		assertThat(properties.get("leader.zookeeper.base-path")).containsEntry("defaultValue", zooKeeper.basePath());
		assertThat(properties.get("leader.zookeeper.tick-time")).containsEntry("defaultValue",
				zooKeeper.tickTime().toSeconds() + "s");
	}

	@Test
	void defaultsOfEtcdAreThoseOfTheCode() {
		LeaderEtcdProperties etcd = TestProperties.of(LeaderEtcdProperties.class);
		assertThat(properties.get("leader.etcd.key-prefix")).containsEntry("defaultValue", etcd.keyPrefix());
	}

	@Test
	void textOfPropertiesHasNoPassword() {
		LeaderEtcdProperties etcd = new LeaderEtcdProperties(List.of(), "/leader", "me", "secret",
				new LeaderEtcdProperties.Ssl(null));
		LeaderZooKeeperProperties zooKeeper = new LeaderZooKeeperProperties(null, "/leader", Duration.ofSeconds(2),
				new LeaderZooKeeperProperties.Auth("me", "secret", false), new LeaderZooKeeperProperties.Ssl(null));
		assertThat(etcd.toString() + zooKeeper).doesNotContain("secret");
	}

	@Test
	void backendsAreHinted() {
		Map<String, Object> hint = list("hints").filter((candidate) -> "leader.backend".equals(candidate.get("name")))
			.findFirst()
			.orElseThrow();
		assertThat((List<?>) hint.get("values")).hasSizeGreaterThanOrEqualTo(2)
			.extracting("value")
			.contains("jdbc", "zookeeper", "etcd", "local");
		assertThat((List<?>) hint.get("values")).extracting("description").doesNotContainNull();
	}

	@Test
	void everyHintIsForAPropertyThatThereIs() {
		assertThat(list("hints").map((hint) -> (String) hint.get("name"))).isNotEmpty()
			.allSatisfy((name) -> assertThat(properties).containsKey(name));
	}

	@Test
	void endpointAndHealthCanBeSwitched() {
		assertThat(properties.get("management.endpoint.leader.access"))
			.containsEntry("type", "org.springframework.boot.actuate.endpoint.Access")
			.containsEntry("defaultValue", "read_only");
		assertThat(properties.get("management.health.leader.enabled")).containsEntry("type", "java.lang.Boolean")
			.containsEntry("defaultValue", true);
	}

	/**
	 * A Kubernetes Service named "leader" puts such variables into every pod.
	 */
	@Test
	void noPropertyHasANameThatKubernetesInjects() {
		assertThat(properties.keySet()).noneMatch((name) -> name.matches("leader\\.(port|host|service).*"));
	}

	@SuppressWarnings("unchecked")
	private static Stream<Map<String, Object>> list(String name) {
		return ((List<Object>) metadata.get(name)).stream().map((item) -> (Map<String, Object>) item);
	}

}
