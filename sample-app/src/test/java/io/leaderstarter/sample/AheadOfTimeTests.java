package io.leaderstarter.sample;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the sample as it was worked out ahead of time, in a process of its own. That is
 * what a native image is made of, so what is found out too late for one fails here.
 */
@Tag("verify")
class AheadOfTimeTests {

	/** What an image would have to keep, as Spring has worked it out for the sample. */
	@Test
	void whatIsReadFromPropertiesAndWrittenByTheEndpointIsKept() throws Exception {
		String hints = "META-INF/native-image/io.leaderstarter/sample-app/reachability-metadata.json";
		Path file = Arrays.stream(System.getProperty("sample.aot.classpath").split(File.pathSeparator))
			.map((entry) -> Path.of(entry).resolve(hints))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow();
		assertThat(read(file)).contains(Stream
			.of("actuate.LeaderEndpoint$LeaderDescriptor", "actuate.LeaderEndpoint$RoleDescriptor",
					"autoconfigure.LeaderProperties", "autoconfigure.LeaderProperties$Lease",
					"autoconfigure.LeaderProperties$Role", "autoconfigure.LeaderFenceProperties")
			.map((type) -> "\"type\": \"io.leaderstarter.%s\"".formatted(type))
			.toList());
	}

	@Test
	void leaderClosesInvoices(@TempDir Path directory) throws Exception {
		int port = freePort();
		File output = directory.resolve("output").toFile();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Dspring.aot.enabled=true", "-cp", System.getProperty("sample.aot.classpath"),
				SampleApplication.class.getName(), "--server.port=" + port, "--spring.datasource.url=jdbc:h2:mem:aot",
				"--leader.lease.ttl=1m")
			.redirectErrorStream(true)
			.redirectOutput(output)
			.start();
		try {
			RestClient client = RestClient.create("http://localhost:" + port);
			Awaitility.await().atMost(Duration.ofSeconds(120)).until(() -> {
				assertThat(process.isAlive()).as(() -> read(output.toPath())).isTrue();
				return answers(client);
			});
			String id = client.post().uri("/invoices").retrieve().body(String.class);
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> client.get()
					.uri("/invoices")
					.retrieve()
					.body(String.class)
					.matches("(?is).*%s[^}]*\"closed_by\":1\\b.*".formatted(id)));
			assertThat(client.get().uri("/actuator/leader/invoices").retrieve().body(String.class)).contains("LEADER",
					"\"fences\":[\"dataSource\"]");
			assertThat(client.get().uri("/actuator/prometheus").retrieve().body(String.class))
				.containsPattern("leader_leading\\{[^}]*role=\"invoices\"[^}]*} 1.0")
				.containsPattern("leader_fence_checks_seconds_count\\{[^}]*trip=\"own\"[^}]*} [1-9]");
			assertThat(read(output.toPath())).contains("Starting AOT-processed SampleApplication");
		}
		finally {
			process.destroy();
			if (!process.waitFor(20, TimeUnit.SECONDS)) {
				process.destroyForcibly();
			}
		}
	}

	private static boolean answers(RestClient client) {
		try {
			return client.get().uri("/actuator/health").retrieve().body(String.class).contains("UP");
		}
		catch (RestClientException ex) {
			return false;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
