package io.leaderstarter.election.spi;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that what {@link Documentation} links to is there.
 */
class DocumentationTests {

	@ParameterizedTest
	@MethodSource("links")
	void linkHasAPageAndASection(String link) throws Exception {
		URI uri = URI.create(link);
		Path page = Path.of("../docs", Path.of(uri.getPath()).getFileName() + ".md");
		assertThat(page).exists();
		assertThat(Files.readAllLines(page)
			.stream()
			.filter((line) -> line.startsWith("## "))
			.map((heading) -> heading.substring(3).toLowerCase(Locale.ROOT).replace(' ', '-')))
			.contains(uri.getFragment());
	}

	static Stream<String> links() {
		return Arrays.stream(Documentation.class.getDeclaredFields())
			.filter((field) -> Modifier.isPublic(field.getModifiers()))
			.map(DocumentationTests::value);
	}

	private static String value(Field field) {
		try {
			return (String) field.get(null);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
