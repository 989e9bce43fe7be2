package io.leaderstarter.sample.demo.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.leaderstarter.sample.demo.process.FreePort;
import io.leaderstarter.sample.demo.process.GuardedProcess;

/**
 * A single etcd server, whose program is in no jar. It ends with this process.
 */
final class EtcdServer {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private EtcdServer() {
	}

	public static void main(String[] args) throws Exception {
		Path cache = Path.of(args[0]);
		Path folder = Path.of(System.getProperty("java.io.tmpdir"));
		String clients = "http://127.0.0.1:" + FreePort.near(0);
		String peers = "http://127.0.0.1:" + FreePort.near(0);
		List<String> command = List.of(new EtcdProgram(cache).find().toString(), "--name", "demo", "--data-dir",
				folder.resolve("etcd").toString(), "--listen-client-urls", clients, "--advertise-client-urls", clients,
				"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
				"demo=" + peers, "--unsafe-no-fsync", "--log-level", "error", "--logger", "zap");
		try (GuardedProcess server = GuardedProcess.start(command, folder.resolve("etcd.log"), System.out::println)) {
			awaitHealthy(server, clients);
			ServerLines.ready(Map.of("leader.backend", "etcd", "leader.etcd.endpoints", clients));
			System.exit(server.onExit().join());
		}
	}

	private static void awaitHealthy(GuardedProcess server, String address) throws InterruptedException {
		HttpClient client = HttpClient.newHttpClient();
		HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/health"))
			.timeout(Duration.ofSeconds(1))
			.build();
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!isHealthy(client, request)) {
			if (!server.isAlive() || System.nanoTime() - end > 0) {
				throw new IllegalStateException("etcd does not start");
			}
			Thread.sleep(50);
		}
	}

	private static boolean isHealthy(HttpClient client, HttpRequest request) throws InterruptedException {
		try {
			return client.send(request, HttpResponse.BodyHandlers.ofString()).body().contains("\"true\"");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
