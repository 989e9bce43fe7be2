package io.leaderstarter.sample.demo;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leaderstarter.sample.demo.Event.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The latest events, and the listeners for new ones.
 */
final class EventLog {

	private static final int KEPT = 300;

	private final Deque<Event> writes = new ArrayDeque<>();

	/** Kept apart, as writes are many and would push all else out. */
	private final Deque<Event> others = new ArrayDeque<>();

	private final List<Consumer<Event>> listeners = new CopyOnWriteArrayList<>();

	private long lastId;

	/** Writes down what happened now. */
	void add(Kind kind, @Nullable String node, String text) {
		add(System.currentTimeMillis(), kind, node, null, 0, 0, text);
	}

	/** Writes down what happened to a term. */
	void add(long at, Kind kind, @Nullable String node, @Nullable String role, long epoch, int count, String text) {
		Event event;
		synchronized (this) {
			event = new Event(++this.lastId, at, kind, node, role, epoch, count, text);
			Deque<Event> kept = (kind == Kind.WROTE) ? this.writes : this.others;
			kept.addLast(event);
			if (kept.size() > KEPT) {
				kept.removeFirst();
			}
		}
		this.listeners.forEach((listener) -> listener.accept(event));
	}

	/** The latest events, in their order. */
	synchronized List<Event> latest() {
		return Stream.concat(this.writes.stream(), this.others.stream())
			.sorted(Comparator.comparingLong(Event::id))
			.toList();
	}

	/**
	 * Notify a listener of each event from now on.
	 * @return ends that
	 */
	Runnable subscribe(Consumer<Event> listener) {
		this.listeners.add(listener);
		return () -> this.listeners.remove(listener);
	}

}
