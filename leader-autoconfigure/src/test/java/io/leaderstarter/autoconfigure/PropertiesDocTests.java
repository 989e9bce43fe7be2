package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the tables in {@code docs/properties.md} with the metadata that IDEs read.
 * With {@code -PwriteDocs} it writes them.
 */
class PropertiesDocTests {

	private static final Path DOC = Path.of("../docs/properties.md");

	private static final String BEGIN = "<!-- from the metadata; ./gradlew :leader-autoconfigure:test --tests '*PropertiesDocTests' -PwriteDocs -->\n";

	private static final String END = "<!-- end -->\n";

	private static final Set<String> COMMON = Set.of("leader.backend", "leader.namespace", "leader.lease.ttl",
			"leader.placement", "leader.candidate.enabled", "leader.candidate.start", "leader.shutdown.drain-timeout",
			"leader.fence.enabled", "leader.fence.guarded-tables", "leader.schema.initialize",
			"management.endpoint.leader.access");

	private static final Set<String> ADVANCED = Set.of("leader.candidate.priority", "leader.fence.check-by",
			"leader.fence.data-sources", "leader.fence.idle-timeout", "leader.fence.required",
			"leader.fence.wrap-data-sources", "leader.http.send-epoch", "leader.lease.renew-interval",
			"leader.member.id-prefix", "leader.member.metadata", "leader.schema.platform", "leader.schema.table-prefix",
			"management.endpoint.leader.cache.time-to-live", "management.health.leader.enabled",
			"management.health.leader.out-of-service-after", "management.info.leader-roles.enabled");

	private static final List<String> BACKENDS = List.of("leader.jdbc.", "leader.zookeeper.", "leader.etcd.");

	/** The tables of the document, with what is in each. */
	private static final Map<String, Predicate<String>> TABLES = new LinkedHashMap<>();

	static {
		TABLES.put("Common", COMMON::contains);
		TABLES.put("Per backend", (name) -> BACKENDS.stream().anyMatch(name::startsWith));
		TABLES.put("Advanced", ADVANCED::contains);
	}

	@Test
	void everyPropertyIsInExactlyOneTable() throws Exception {
		Set<String> names = properties().keySet();
		assertThat(names).isNotEmpty()
			.allSatisfy((name) -> assertThat(TABLES.entrySet().stream().filter((table) -> table.getValue().test(name)))
				.as("tables of " + name)
				.hasSize(1));
		assertThat(names).containsAll(COMMON).containsAll(ADVANCED);
	}

	/** Those of a role included. */
	@Test
	void thereAreFewProperties() throws Exception {
		assertThat(properties().keySet().stream().filter((name) -> name.startsWith("leader.")))
			.hasSizeLessThanOrEqualTo(36);
	}

	@Test
	void tablesAreGeneratedFromTheMetadata() throws Exception {
		String doc = Files.readString(DOC);
		int begin = doc.indexOf(BEGIN) + BEGIN.length();
		int end = doc.indexOf(END);
		assertThat(end).as("the marks around the tables").isGreaterThanOrEqualTo(begin);
		String tables = tables();
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(DOC, doc.substring(0, begin) + tables + doc.substring(end));
		}
		else {
			assertThat(doc.substring(begin, end)).isEqualTo(tables);
		}
	}

	/** The metadata does not contain what is in a map. */
	@Test
	void everyPropertyOfARoleIsThere() throws Exception {
		String doc = Files.readString(DOC);
		assertThat(Arrays.stream(LeaderProperties.Role.class.getRecordComponents())
			.map(RecordComponent::getName)
			.map(PropertiesDocTests::dashed)).hasSize(4)
			.allSatisfy((name) -> assertThat(doc).contains("| `leader.roles.<role>.%s` |".formatted(name)));
	}

	private static String tables() throws IOException {
		Map<String, Map<String, Object>> properties = properties();
		return TABLES.entrySet()
			.stream()
			.map((table) -> "## %s\n\n%s".formatted(table.getKey(), table(properties, table.getValue())))
			.collect(Collectors.joining("\n"));
	}

	private static String table(Map<String, Map<String, Object>> properties, Predicate<String> table) {
		return "| property | default | description |\n| --- | --- | --- |\n" + properties.entrySet()
			.stream()
			.filter((entry) -> table.test(entry.getKey()))
			.sorted(Comparator.comparingInt((entry) -> backend(entry.getKey())))
			.map((entry) -> "| `%s` | %s | %s |\n".formatted(entry.getKey(), defaultOf(entry.getValue()),
					entry.getValue().get("description") + values(entry.getValue())))
			.collect(Collectors.joining());
	}

	/** The order of the backends; all other properties are in alphabetical order. */
	private static int backend(String name) {
		return BACKENDS.indexOf(BACKENDS.stream().filter(name::startsWith).findFirst().orElse(""));
	}

	private static String defaultOf(Map<String, Object> property) {
		Object value = property.get("defaultValue");
		if (value instanceof List<?> list) {
			value = list.stream().map(String::valueOf).collect(Collectors.joining(", "));
		}
		return (value != null) ? "`" + value.toString().replace('_', isEnum(property) ? '-' : '_') + "`" : "";
	}

	private static String values(Map<String, Object> property) {
		Class<?> type = type(property);
		return isEnum(property) ? Arrays.stream(type.getEnumConstants())
			.map((value) -> "`" + value.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
			.collect(Collectors.joining(", ", " One of ", ".")) : "";
	}

	private static boolean isEnum(Map<String, Object> property) {
		Class<?> type = type(property);
		return type != null && type.isEnum();
	}

	private static Class<?> type(Map<String, Object> property) {
		String name = ((String) property.get("type")).replaceAll("<.*", "");
		try {
			return ClassUtils.forName(name, PropertiesDocTests.class.getClassLoader());
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return null;
		}
	}

	private static String dashed(String name) {
		return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> properties() throws IOException {
		Map<String, Map<String, Object>> properties = new TreeMap<>(
				Comparator.comparing((String name) -> !name.startsWith("leader."))
					.thenComparing(Comparator.naturalOrder()));
		for (URL url : Collections.list(PropertiesDocTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream stream = url.openStream()) {
				String json = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
				if (json.contains("\"io.leaderstarter.autoconfigure.LeaderProperties\"")) {
					((List<Object>) JsonParserFactory.getJsonParser().parseMap(json).get("properties")).stream()
						.map((item) -> (Map<String, Object>) item)
						.forEach((item) -> properties.put((String) item.get("name"), item));
				}
			}
		}
		properties.remove("leader.roles");
		return properties;
	}

}
