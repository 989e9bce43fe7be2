package io.leaderstarter.autoconfigure;

import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the table in {@code docs/properties.md} to the metadata that IDEs read. With
 * {@code -PwriteDocs} it writes the table.
 */
class PropertiesDocTests {

	private static final Path DOC = Path.of("../docs/properties.md");

	private static final String BEGIN = "<!-- from the metadata; ./gradlew :leader-autoconfigure:test --tests '*PropertiesDocTests' -PwriteDocs -->\n";

	private static final String END = "<!-- end -->\n";

	@Test
	void tableIsMadeFromTheMetadata() throws Exception {
		String doc = Files.readString(DOC);
		int begin = doc.indexOf(BEGIN) + BEGIN.length();
		int end = doc.indexOf(END);
		assertThat(end).as("the marks around the table").isGreaterThanOrEqualTo(begin);
		String table = table();
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(DOC, doc.substring(0, begin) + table + doc.substring(end));
		}
		else {
			assertThat(doc.substring(begin, end)).isEqualTo(table);
		}
	}

	/** The metadata does not tell what is in a map. */
	@Test
	void everyPropertyOfARoleIsThere() throws Exception {
		String doc = Files.readString(DOC);
		assertThat(Arrays
			.stream(Introspector.getBeanInfo(LeaderProperties.Role.class, Object.class).getPropertyDescriptors())
			.map(PropertyDescriptor::getName)
			.map(PropertiesDocTests::dashed)).hasSize(4)
			.allSatisfy((name) -> assertThat(doc).contains("| `leader.roles.<role>.%s` |".formatted(name)));
	}

	private static String table() throws IOException {
		Map<String, Map<String, Object>> properties = properties();
		properties.remove("leader.roles");
		return "| property | default | what |\n| --- | --- | --- |\n" + properties.entrySet()
			.stream()
			.map((entry) -> "| `%s` | %s | %s |\n".formatted(entry.getKey(), defaultOf(entry.getValue()),
					entry.getValue().get("description") + values(entry.getValue())))
			.collect(Collectors.joining());
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
		return properties;
	}

}
