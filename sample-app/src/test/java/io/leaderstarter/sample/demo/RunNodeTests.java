package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.sample.demo.process.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RunNode}, with processes of their own.
 */
@Tag("verify")
class RunNodeTests {

	@TempDir
	private Path folder;

	private final List<Process> nodes = new ArrayList<>();

	@AfterEach
	void end() {
		this.nodes.forEach(Process::destroyForcibly);
		RunningDemo.eventually().until(() -> DatabaseProcesses.below(this.folder).isEmpty());
	}

	@Test
	void secondNodeJoinsOnAnotherPortAndFollowsTheFirst() throws Exception {
		int port = FreePort.near(30_000);
		Process first = start(port);
		RunningDemo.eventually().until(() -> answer(port).contains("\"state\":\"LEADER\""));
		start(port);
		int second = RunningDemo.eventually().until(() -> portOf(this.folder.resolve("node-2")), (found) -> found > 0);
		assertThat(second).isGreaterThan(port);
		RunningDemo.eventually().until(() -> answer(second).contains("\"state\":\"FOLLOWER\""));
		assertThat(DatabaseProcesses.below(this.folder)).hasSize(1);
		first.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
		// The database does not belong to the node that has started it.
		RunningDemo.eventually().until(() -> answer(second).contains("\"state\":\"LEADER\""));
	}

	@Test
	void environmentChoosesAnotherDatabaseAndPort() throws Exception {
		int port = FreePort.near(31_000);
		start(FreePort.near(30_000), Map.of("SPRING_DATASOURCE_URL", "jdbc:h2:mem:own", "SERVER_PORT",
				Integer.toString(port), "SPRING_PROFILES_ACTIVE", "postgres", "SPRING_DATASOURCE_USERNAME", "own"));
		RunningDemo.eventually().until(() -> answer(port).contains("\"state\":\"LEADER\""));
		assertThat(DatabaseProcesses.below(this.folder)).isEmpty();
	}

	private Process start(int port) throws IOException {
		return start(port, Map.of());
	}

	private Process start(int port, Map<String, String> environment) throws IOException {
		Path output = this.folder.resolve("node-" + (this.nodes.size() + 1));
		ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-Xmx128m", "-Djava.io.tmpdir=" + this.folder,
				"-Ddemo.folder=" + this.folder, "-Ddemo.port=" + port, "-cp",
				System.getProperty("sample.demo.classpath"), RunNode.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		builder.environment().putAll(environment);
		Process process = builder.start();
		this.nodes.add(process);
		return process;
	}

	private static int portOf(Path output) throws IOException {
		return Files.readAllLines(output)
			.stream()
			.filter((line) -> line.contains("Tomcat started on port "))
			.map((line) -> line.replaceAll(".*Tomcat started on port (\\d+).*", "$1"))
			.mapToInt(Integer::parseInt)
			.findFirst()
			.orElse(0);
	}

	private static String answer(int port) {
		try {
			return RestClient.create("http://127.0.0.1:" + port)
				.get()
				.uri("/actuator/leader/invoices")
				.retrieve()
				.body(String.class);
		}
		catch (RestClientException ex) {
			return "";
		}
	}

}
