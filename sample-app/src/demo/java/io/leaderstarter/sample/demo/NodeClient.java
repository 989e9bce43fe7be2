package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Talks to nodes over HTTP, as anybody could.
 */
final class NodeClient {

	private static final Duration PATIENCE = Duration.ofMillis(1500);

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	/**
	 * Asks a node who leads what.
	 * @return its answer, {@code null} if there is none
	 */
	@Nullable NodeStatus status(long port) {
		HttpResponse<String> answer = send(request(port, "/actuator/leader").GET());
		return (answer != null && answer.statusCode() == 200) ? NodeStatus.read(answer.body()) : null;
	}

	/**
	 * Steers all roles of a node.
	 * @param action {@code resign}, {@code pause} or {@code resume}
	 * @return whether it will do that
	 */
	boolean steer(long port, String action) {
		HttpResponse<String> answer = send(request(port, "/actuator/leader").header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"action\":\"%s\"}".formatted(action))));
		return answer != null && answer.statusCode() / 100 == 2;
	}

	/** Lets a node take an invoice. */
	void order(long port, String customer, int amount) {
		send(request(port, "/invoices?customer=%s&amount=%d".formatted(customer, amount))
			.POST(BodyPublishers.noBody()));
	}

	private static HttpRequest.Builder request(long port, String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
	}

	private @Nullable HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return this.client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

}
