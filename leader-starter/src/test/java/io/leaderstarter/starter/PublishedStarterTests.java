package io.leaderstarter.starter;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests what a consumer of the published starter gets, by letting Maven and Gradle
 * resolve it.
 */
@Tag("verify")
class PublishedStarterTests {

	private static final String STARTER = "io.leaderstarter:leader-starter:" + System.getProperty("starter.version");

	private static final String CURATOR = "org.apache.curator:curator-recipes:" + System.getProperty("curator.version");

	private static final String JETCD = "io.etcd:jetcd-core:" + System.getProperty("jetcd.version");

	/** What must not come along unless it is asked for. */
	private static final Pattern OPTIONAL = Pattern.compile("org\\.apache\\.curator:.*|org\\.apache\\.zookeeper:.*"
			+ "|io\\.etcd:.*|io\\.grpc:.*|org\\.postgresql:.*|com\\.mysql:.*|org\\.mariadb.*|com\\.h2database:.*"
			+ "|com\\.zaxxer:.*|org\\.springframework:spring-jdbc:.*|io\\.micrometer:micrometer-core:.*"
			+ "|org\\.springframework\\.boot:spring-boot-(actuator|health|jdbc).*|.*junit.*");

	@TempDir
	private Path directory;

	@Test
	void mavenConsumerGetsNothingOptional() throws Exception {
		assertThat(resolveWithMaven(STARTER)).anyMatch((module) -> module.startsWith("io.leaderstarter:"))
			.noneMatch(OPTIONAL.asMatchPredicate());
	}

	@Test
	void mavenConsumerAddsABackendWithOneDependency() throws Exception {
		assertThat(resolveWithMaven(STARTER, CURATOR)).anyMatch((module) -> module.startsWith("org.apache.zookeeper:"));
		assertThat(resolveWithMaven(STARTER, JETCD)).anyMatch((module) -> module.startsWith("io.grpc:"));
	}

	@Test
	void gradleConsumerGetsNothingOptional() throws Exception {
		assertThat(resolveWithGradle(STARTER)).anyMatch((module) -> module.startsWith("io.leaderstarter:"))
			.noneMatch(OPTIONAL.asMatchPredicate());
	}

	@Test
	void manifestsNameModuleAndVersion() throws Exception {
		Map<String, String> modules = new TreeMap<>();
		for (Path repository : stagedRepositories().toList()) {
			try (Stream<Path> files = Files.walk(repository)) {
				for (Path file : files.filter((path) -> path.toString().endsWith(".jar")).toList()) {
					try (JarFile jar = new JarFile(file.toFile())) {
						Attributes manifest = jar.getManifest().getMainAttributes();
						modules.put(manifest.getValue("Implementation-Title"),
								manifest.getValue("Automatic-Module-Name"));
						assertThat(manifest.getValue("Implementation-Version"))
							.isEqualTo(System.getProperty("starter.version"));
					}
				}
			}
		}
		assertThat(modules).containsExactly(entry("leader-autoconfigure", "io.leaderstarter.autoconfigure"),
				entry("leader-starter", "io.leaderstarter.starter"));
	}

	private List<String> resolveWithMaven(String... dependencies) throws Exception {
		Path list = this.directory.resolve("list.txt");
		write("pom.xml",
				"""
						<project xmlns="http://maven.apache.org/POM/4.0.0">
						  <modelVersion>4.0.0</modelVersion>
						  <groupId>consumer</groupId>
						  <artifactId>consumer</artifactId>
						  <version>1</version>
						  <dependencyManagement>
						    <dependencies>
						      <dependency>
						        <groupId>org.springframework.boot</groupId>
						        <artifactId>spring-boot-dependencies</artifactId>
						        <version>%s</version>
						        <type>pom</type>
						        <scope>import</scope>
						      </dependency>
						    </dependencies>
						  </dependencyManagement>
						  <dependencies>%s</dependencies>
						  <repositories>%s</repositories>
						</project>
						""".formatted(System.getProperty("spring-boot.version"),
						Stream.of(dependencies).map(PublishedStarterTests::mavenDependency).reduce("", String::concat),
						stagedRepositories().map(PublishedStarterTests::mavenRepository).reduce("", String::concat)));
		run("mvn", "-q", "-B", "-U", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:list",
				"-DincludeScope=runtime", "-DoutputFile=" + list);
		// A line reads " group:artifact:jar:version:scope -- module x"; the module part
		// is only there for modular jars.
		return Files.readAllLines(list)
			.stream()
			.map(String::strip)
			.filter((line) -> line.matches("[^: ]+(:[^: ]+){4}.*"))
			.map((line) -> line.replaceFirst(":jar:", ":").replaceFirst(" .*", ""))
			.toList();
	}

	private static String mavenDependency(String coordinates) {
		String[] parts = coordinates.split(":");
		return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
			.formatted((Object[]) parts);
	}

	private static String mavenRepository(Path path) {
		return "<repository><id>staged-%s</id><url>%s</url></repository>".formatted(Math.abs(path.hashCode()),
				path.toUri());
	}

	private List<String> resolveWithGradle(String... dependencies) throws Exception {
		write("settings.gradle", "rootProject.name = 'consumer'\n");
		write("build.gradle", """
				plugins {
					id 'java'
				}
				repositories {
					mavenCentral()
					%s
				}
				dependencies {
					implementation platform('org.springframework.boot:spring-boot-dependencies:%s')
					%s
				}
				tasks.register('list') {
					def artifacts = configurations.runtimeClasspath.incoming.artifacts
					doLast {
						artifacts.each { println it.id.componentIdentifier }
					}
				}
				""".formatted(stagedRepositories().map("maven { url = '%s' }%n"::formatted).reduce("", String::concat),
				System.getProperty("spring-boot.version"),
				Stream.of(dependencies).map("implementation '%s'%n"::formatted).reduce("", String::concat)));
		String output = run(Path.of(System.getProperty("gradle.home"), "bin", "gradle").toString(), "-q", "--no-daemon",
				"-Dorg.gradle.configuration-cache=false", "list");
		return output.lines().filter((line) -> line.matches("[^: ]+:[^: ]+:[^ ]+")).toList();
	}

	private static Stream<Path> stagedRepositories() {
		return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
			.splitAsStream(System.getProperty("staged.repositories"))
			.map(Path::of);
	}

	private void write(String name, String content) throws IOException {
		Files.writeString(this.directory.resolve(name), content);
	}

	private String run(String... command) throws Exception {
		Path output = this.directory.resolve("output.txt");
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		builder.environment().put("GRADLE_USER_HOME", System.getProperty("gradle.user.home"));
		builder.environment().put("JAVA_HOME", System.getProperty("gradle.java.home"));
		Process process = builder.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("%s ended in time", command[0]).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		String text = Files.readString(output);
		assertThat(process.exitValue()).as(text).isZero();
		return text;
	}

}
