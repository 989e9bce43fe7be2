package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page and what it asks for, to this machine only.
 */
final class PageServer implements AutoCloseable {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final Map<String, String> TYPES = Map.of("html", "text/html", "css", "text/css", "js",
			"text/javascript", "svg", "image/svg+xml");

	private final HttpServer server;

	private final Cluster cluster;

	private final Actions actions;

	private final Supplier<Snapshot> snapshots;

	PageServer(int port, Cluster cluster, Actions actions, EventLog events, Supplier<Snapshot> snapshots)
			throws IOException {
		this.cluster = cluster;
		this.actions = actions;
		this.snapshots = snapshots;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
		// A stream keeps its thread for as long as the page is open.
		this.server.setExecutor(Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(task, "page");
			thread.setDaemon(true);
			return thread;
		}));
		EventStream stream = new EventStream(events, snapshots);
		this.server.createContext("/", (exchange) -> answer(exchange, () -> file(exchange)));
		this.server.createContext("/state", (exchange) -> answer(exchange, () -> state(exchange)));
		this.server.createContext("/nodes/", (exchange) -> answer(exchange, () -> act(exchange)));
		this.server.createContext("/events", (exchange) -> answer(exchange, () -> stream.send(exchange)));
		this.server.start();
	}

	/**
	 * Answers whoever came by our own address. The page of somebody else could use the
	 * browser of whoever runs the demo to press its buttons.
	 */
	private static void answer(HttpExchange exchange, Answer answer) throws IOException {
		try (exchange) {
			if (isOurs(exchange)) {
				exchange.getResponseHeaders().set("Cache-Control", "no-store");
				exchange.getResponseHeaders().set("Content-Security-Policy", "default-src 'self'");
				answer.run();
			}
			else {
				exchange.sendResponseHeaders(403, -1);
			}
		}
	}

	private static boolean isOurs(HttpExchange exchange) {
		String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
		String origin = exchange.getRequestHeaders().getFirst("Origin");
		return host.matches("(localhost|127\\.0\\.0\\.1)(:\\d+)?")
				&& (origin == null || origin.equals("http://" + host));
	}

	private static void file(HttpExchange exchange) throws IOException {
		String path = exchange.getRequestURI().getPath();
		String name = path.equals("/") ? "index.html" : path.substring(1);
		try (InputStream content = name.matches("[a-z]+\\.[a-z]+")
				? PageServer.class.getResourceAsStream("page/" + name) : null) {
			if (content == null) {
				exchange.sendResponseHeaders(404, -1);
				return;
			}
			send(exchange, 200, TYPES.getOrDefault(name.substring(name.indexOf('.') + 1), "text/plain"),
					content.readAllBytes());
		}
	}

	private void state(HttpExchange exchange) throws IOException {
		send(exchange, 200, "application/json", JSON.writeValueAsBytes(this.snapshots.get()));
	}

	/** {@code POST /nodes/<name>/<action>}. */
	private void act(HttpExchange exchange) throws IOException {
		URI uri = exchange.getRequestURI();
		String[] parts = uri.getPath().split("/");
		if (!exchange.getRequestMethod().equals("POST")) {
			exchange.sendResponseHeaders(405, -1);
			return;
		}
		DemoNode node = (parts.length == 4) ? this.cluster.find(parts[2]).orElse(null) : null;
		if (node == null || !Actions.isKnown(parts[3])) {
			exchange.sendResponseHeaders(404, -1);
			return;
		}
		exchange.sendResponseHeaders(this.actions.act(node, parts[3]) ? 204 : 409, -1);
	}

	private static void send(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
		exchange.getResponseHeaders().set("Content-Type", type + "; charset=" + StandardCharsets.UTF_8.name());
		exchange.sendResponseHeaders(status, (content.length != 0) ? content.length : -1);
		exchange.getResponseBody().write(content);
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

	@FunctionalInterface
	private interface Answer {

		void run() throws IOException;

	}

}
