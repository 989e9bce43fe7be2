package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.Leadership;

/**
 * The listeners of the fence of a database.
 *
 * @param database the name of the database in messages
 * @param listeners the listeners
 */
record FenceListeners(String database, List<FenceListener> listeners) {

	FenceListeners(String database) {
		this(database, new CopyOnWriteArrayList<>());
	}

	void raised(Leadership leadership, long begunNanos, boolean raised) {
		Duration took = since(begunNanos);
		this.listeners.forEach((listener) -> listener.onRaise(this.database, leadership, took, raised));
	}

	void checked(FenceListener.Trip trip, long begunNanos) {
		Duration took = since(begunNanos);
		this.listeners.forEach((listener) -> listener.onCheck(this.database, trip, took));
	}

	void refused(Leadership leadership, FenceListener.Refuser by) {
		this.listeners.forEach((listener) -> listener.onRefusal(this.database, leadership, by));
	}

	private static Duration since(long begunNanos) {
		return Duration.ofNanos(System.nanoTime() - begunNanos);
	}

}
