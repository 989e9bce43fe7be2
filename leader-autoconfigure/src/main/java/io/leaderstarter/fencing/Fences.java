package io.leaderstarter.fencing;

import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * All fences of this application, and which roles they are for.
 *
 * @since 0.1.0
 */
public final class Fences implements AutoCloseable {

	private final List<Fence> all;

	private final Map<String, Set<String>> chosen;

	/**
	 * Makes the fences.
	 * @param all one for each database
	 * @param chosen names of the fences of a role, for roles that do not have all of them
	 */
	public Fences(List<Fence> all, Map<String, Set<String>> chosen) {
		this.all = List.copyOf(all);
		this.chosen = Map.copyOf(chosen);
	}

	/**
	 * Returns all fences.
	 * @return the fences
	 */
	public List<Fence> all() {
		return this.all;
	}

	List<Fence> forRole(String role) {
		Set<String> names = this.chosen.get(role);
		return (names != null) ? this.all.stream().filter((fence) -> names.contains(fence.name())).toList() : this.all;
	}

	/**
	 * Returns the fence of a {@code DataSource} that transactions use, which may be
	 * wrapped in others.
	 */
	@Nullable Fence forDataSource(DataSource dataSource) {
		for (DataSource candidate = dataSource; candidate != null; candidate = target(candidate)) {
			for (Fence fence : this.all) {
				if (fence.dataSource() == candidate || wraps(fence.dataSource(), candidate)) {
					return fence;
				}
			}
		}
		return null;
	}

	@Override
	public void close() {
		this.all.forEach(Fence::close);
	}

	private static boolean wraps(DataSource outer, DataSource inner) {
		for (DataSource candidate = target(outer); candidate != null; candidate = target(candidate)) {
			if (candidate == inner) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What is behind a {@code DataSource}. One that routes has a fence in each of its
	 * targets, and the statements for all of them are the same, so any of them will do.
	 */
	private static @Nullable DataSource target(DataSource dataSource) {
		if (dataSource instanceof AbstractRoutingDataSource routing) {
			return routing.getResolvedDataSources()
				.values()
				.stream()
				.findFirst()
				.orElse(routing.getResolvedDefaultDataSource());
		}
		return (dataSource instanceof DelegatingDataSource delegating) ? delegating.getTargetDataSource() : null;
	}

}
