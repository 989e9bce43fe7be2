package io.leaderstarter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the rules for the tests of all modules. What is tagged {@code verify} runs in
 * {@code ./gradlew verify}, every other test in {@code ./gradlew check}; that no class
 * was left out by both is seen at the end of {@code verify} itself.
 */
class TestRulesTests {

	private static final Pattern TEST = Pattern.compile("^\\t*@(Test|ParameterizedTest|RepeatedTest|TestFactory)\\b",
			Pattern.MULTILINE);

	private static final Pattern OTHER_TAG = Pattern.compile("@Tag(?!\\(\"verify\"\\))\\(|@Tags\\b");

	/** A server that is missing fails the test that needs it. */
	private static final Pattern SKIPS = Pattern
		.compile("@(Disabled|Enabled)\\w*|\\bassum(e|ing)(That|True|False|NoException)\\w*\\(");

	/** What is printed in the JVM is printed by all classes that run at once. */
	private static final Pattern ALONE = Pattern.compile("@Isolated|@ResourceLock\\(Resources.SYSTEM_OUT\\)");

	private static List<Path> sources;

	@BeforeAll
	static void find() throws IOException {
		Path root = Path.of("").toAbsolutePath();
		while (!Files.exists(root.resolve("settings.gradle"))) {
			root = root.getParent();
		}
		try (Stream<Path> files = Files.walk(root)) {
			Path rules = Path.of("TestRulesTests.java");
			sources = files.filter((file) -> file.toString().contains("src/test/java/"))
				.filter((file) -> !file.toString().contains("/build/"))
				.filter((file) -> file.toString().endsWith(".java") && !file.endsWith(rules))
				.toList();
		}
		assertThat(sources).hasSizeGreaterThan(100);
	}

	@Test
	void onlyTheTagOfTheLevelIsUsed() {
		assertThat(sources).noneMatch((file) -> OTHER_TAG.matcher(read(file)).find());
	}

	@Test
	void noTestIsSkipped() {
		assertThat(sources).noneMatch((file) -> SKIPS.matcher(read(file)).find());
	}

	@Test
	void classesWithTestsAreNamedTests() {
		assertThat(sources).filteredOn((file) -> TEST.matcher(read(file)).find())
			.allMatch((file) -> file.toString().endsWith("Tests.java"));
	}

	@Test
	void outputIsCapturedByOneClassAtATime() {
		assertThat(sources).filteredOn((file) -> file.toString().contains("leader-autoconfigure"))
			.filteredOn((file) -> read(file).contains("OutputCaptureExtension"))
			.allMatch((file) -> ALONE.matcher(read(file)).find());
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
