package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Server-sent events: first {@code hello} with all that is known, then {@code event} for
 * whatever happens, and {@code state} twice a second.
 */
final class EventStream {

	private static final int STATE_MILLIS = 500;

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private final EventLog events;

	private final Supplier<Snapshot> snapshots;

	EventStream(EventLog events, Supplier<Snapshot> snapshots) {
		this.events = events;
		this.snapshots = snapshots;
	}

	/** Sends events until nobody reads them any more. */
	void send(HttpExchange exchange) throws IOException {
		exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=UTF-8");
		exchange.sendResponseHeaders(200, 0);
		BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
		Runnable end = this.events.subscribe(queue::add);
		try {
			OutputStream output = exchange.getResponseBody();
			List<Event> known = this.events.latest();
			long last = known.isEmpty() ? 0 : known.get(known.size() - 1).id();
			write(output, "hello", new Hello(this.snapshots.get(), known));
			while (true) {
				forward(queue, last, output);
				write(output, "state", this.snapshots.get());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			end.run();
		}
	}

	/** Forwards what comes until it is time to send the state again. */
	private static void forward(BlockingQueue<Event> queue, long after, OutputStream output)
			throws IOException, InterruptedException {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STATE_MILLIS);
		for (long left = STATE_MILLIS; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
			@Nullable Event event = queue.poll(left, TimeUnit.MILLISECONDS);
			// What came while the first message was made is in it.
			if (event != null && event.id() > after) {
				write(output, "event", event);
			}
		}
	}

	private static void write(OutputStream output, String name, Object data) throws IOException {
		output.write("event: %s\ndata: %s\n\n".formatted(name, JSON.writeValueAsString(data))
			.getBytes(StandardCharsets.UTF_8));
		output.flush();
	}

	/**
	 * What a page needs first.
	 *
	 * @param state how everything is
	 * @param events what has happened
	 */
	private record Hello(Snapshot state, List<Event> events) {
	}

}
