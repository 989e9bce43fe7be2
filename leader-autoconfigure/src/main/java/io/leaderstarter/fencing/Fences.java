package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * All fences of this application, and which roles they are for.
 *
 * @since 0.1.0
 */
public final class Fences implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Fences.class);

	private final List<Fence> all;

	private final Map<String, Set<String>> chosen;

	private final boolean required;

	private final List<DataSource> leftOut;

	/**
	 * Makes the fences.
	 * @param all one for each database
	 * @param chosen names of the fences of a role, for roles that do not have all of them
	 * @param required whether a term may begin only if its fences are raised
	 */
	public Fences(List<Fence> all, Map<String, Set<String>> chosen, boolean required) {
		this(all, chosen, required, List.of());
	}

	/**
	 * Create new fences.
	 * @param all one for each database
	 * @param chosen names of the fences of a role, for roles that do not have all of them
	 * @param required whether a term may begin only if its fences are raised
	 * @param leftOut databases that are not fenced on purpose
	 */
	public Fences(List<Fence> all, Map<String, Set<String>> chosen, boolean required, Collection<DataSource> leftOut) {
		this.all = List.copyOf(all);
		this.chosen = Map.copyOf(chosen);
		this.required = required;
		this.leftOut = List.copyOf(leftOut);
	}

	/**
	 * Returns whether transactions are told something when they begin.
	 */
	boolean areTold() {
		return this.all.stream().anyMatch(Fence::tellsTransactions);
	}

	boolean areRequired() {
		return this.required;
	}

	/**
	 * Returns all fences.
	 * @return the fences
	 */
	public List<Fence> all() {
		return this.all;
	}

	/**
	 * Lets the fence of a role belong to another store, for a store that was replaced on
	 * purpose; see 'Epochs that go back' in {@code docs/fencing.md}. No member may lead
	 * the role meanwhile. Its epoch stays, so the new store has to go on from there.
	 * @param database name of the database whose fence it is
	 * @param adoption who decides what, and why
	 * @throws FenceException if it cannot be done, or the fence is not as the adoption
	 * says; nothing is changed then
	 */
	public void adopt(String database, FenceAdoption adoption) {
		Fence fence = this.all.stream()
			.filter((candidate) -> candidate.name().equals(database))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no fence in '%s'; there are fences in %s"
				.formatted(database, this.all.stream().map(Fence::name).toList())));
		fence.adopt(adoption);
		logger.warn("The fence in '%s' was adopted: %s".formatted(database, adoption));
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

	/**
	 * Returns whether a {@code DataSource} that transactions use has no fence because the
	 * application decided so.
	 */
	boolean leavesOut(DataSource dataSource) {
		for (DataSource candidate = dataSource; candidate != null; candidate = target(candidate)) {
			for (DataSource other : this.leftOut) {
				if (other == candidate || wraps(other, candidate)) {
					return true;
				}
			}
		}
		return false;
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
