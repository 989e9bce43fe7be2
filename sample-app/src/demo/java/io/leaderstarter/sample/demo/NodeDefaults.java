package io.leaderstarter.sample.demo;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertySource;

/**
 * The port and the database of a node, if nobody has chosen others. They are searched for
 * when they are asked for, so that no database is started for a node that has one.
 */
final class NodeDefaults extends PropertySource<Map<String, Callable<?>>> {

	private final Map<String, Object> found = new ConcurrentHashMap<>();

	NodeDefaults(Callable<Integer> port, Callable<String> database) {
		super("defaults of a node", Map.of("server.port", port, "sample.database", database));
	}

	@Override
	public @Nullable Object getProperty(String name) {
		Callable<?> finder = this.source.get(name);
		return (finder != null) ? this.found.computeIfAbsent(name, (key) -> find(finder)) : null;
	}

	private static Object find(Callable<?> finder) {
		try {
			return finder.call();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
