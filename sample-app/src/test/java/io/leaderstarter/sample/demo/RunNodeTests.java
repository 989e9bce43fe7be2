package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.sample.demo.process.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RunNode}, with two nodes that share a database.
 */
class RunNodeTests {

	@TempDir
	private Path folder;

	private final List<Process> nodes = new ArrayList<>();

	@AfterEach
	void end() {
		this.nodes.forEach(Process::destroyForcibly);
		RunningDemo.eventually().until(() -> databases().isEmpty());
	}

	@Test
	void secondNodeJoinsOnAnotherPortAndFollowsTheFirst() throws Exception {
		int port = FreePort.near(30_000);
		Process first = start(port);
		RunningDemo.eventually().until(() -> answer(port).contains("LEADER"));
		start(port);
		int second = RunningDemo.eventually().until(() -> portOf(this.folder.resolve("node-2")), (found) -> found > 0);
		assertThat(second).isGreaterThan(port);
		RunningDemo.eventually().until(() -> answer(second).contains("FOLLOWER"));
		assertThat(databases()).hasSize(1);
		first.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
		// The database does not belong to the node that has started it.
		RunningDemo.eventually().until(() -> answer(second).contains("LEADER"));
	}

	private Process start(int port) throws IOException {
		Path output = this.folder.resolve("node-" + (this.nodes.size() + 1));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-Xmx128m", "-Djava.io.tmpdir=" + this.folder,
				"-Ddemo.folder=" + this.folder, "-Ddemo.port=" + port, "-cp",
				System.getProperty("sample.demo.classpath"), RunNode.class.getName(), "--server.address=127.0.0.1")
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
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

	/** Databases of this test that run, of which none is a child of ours. */
	private List<ProcessHandle> databases() {
		return ProcessHandle.allProcesses()
			.filter((process) -> process.info().command().orElse("").endsWith("java"))
			.filter((process) -> commandLine(process).endsWith(this.folder.resolve("sample") + "\0"))
			.toList();
	}

	private static String commandLine(ProcessHandle process) {
		try {
			return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
		}
		catch (IOException ex) {
			return process.info().commandLine().orElse("") + "\0";
		}
	}

}
