package io.leaderstarter.fencing;

import java.util.List;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.Documentation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * All fences of this application.
 *
 * @param all one fence for each database
 * @param required whether a term may begin only if its fences are raised
 * @param leftOut databases that are not fenced on purpose
 * @since 0.1.0
 */
public record Fences(List<Fence> all, boolean required, List<DataSource> leftOut) implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Fences.class);

	/**
	 * Create new fences.
	 */
	public Fences {
		all = List.copyOf(all);
		leftOut = List.copyOf(leftOut);
	}

	/**
	 * Assign the fence of a role to another store, after the store was replaced on
	 * purpose; see {@link Documentation#EPOCHS_THAT_GO_BACK}. No member may lead the role
	 * meanwhile. The epoch of the fence does not change, so the new store has to continue
	 * from there.
	 * @param database name of the database of the fence
	 * @param adoption the decision
	 * @throws FenceException if it fails, or if the fence is not as the adoption expects;
	 * nothing is changed then
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
		return this.all.stream().filter((fence) -> fence.isFor(role)).toList();
	}

	/**
	 * Return how terms are checked on the connections of a {@code DataSource} that
	 * transactions use, which may be wrapped in others. Internal: not for applications.
	 * @param dataSource the {@code DataSource}
	 * @return the check, {@code null} if there is no fence
	 */
	public @Nullable FenceCheck check(DataSource dataSource) {
		Fence fence = forDataSource(dataSource);
		return (fence != null) ? fence.check() : null;
	}

	/**
	 * A {@code DataSource} that routes has a fence in each of its targets but those that
	 * are read-only. The statements for all of them are the same, so any prepared one can
	 * be used.
	 */
	private @Nullable Fence forDataSource(DataSource dataSource) {
		Fence found = null;
		for (Fence fence : this.all) {
			if (meets(dataSource, fence.dataSource())) {
				if (fence.isPrepared()) {
					return fence;
				}
				found = (found != null) ? found : fence;
			}
		}
		return found;
	}

	/**
	 * Return whether a {@code DataSource} that transactions use is not fenced on purpose.
	 */
	boolean leavesOut(DataSource dataSource) {
		return this.leftOut.stream().anyMatch((other) -> meets(dataSource, other));
	}

	@Override
	public void close() {
		this.all.forEach(Fence::close);
	}

	/** Return whether one is behind the other, or a third is behind both. */
	private static boolean meets(DataSource one, DataSource other) {
		return reaches(other, one) || anyTarget(one, (target) -> meets(target, other));
	}

	private static boolean reaches(DataSource outer, DataSource inner) {
		return outer == inner || anyTarget(outer, (target) -> reaches(target, inner));
	}

	private static boolean anyTarget(DataSource dataSource, Predicate<DataSource> condition) {
		if (dataSource instanceof AbstractRoutingDataSource routing) {
			DataSource otherwise = routing.getResolvedDefaultDataSource();
			return (otherwise != null && condition.test(otherwise))
					|| routing.getResolvedDataSources().values().stream().anyMatch(condition);
		}
		DataSource target = (dataSource instanceof DelegatingDataSource delegating) ? delegating.getTargetDataSource()
				: null;
		return target != null && condition.test(target);
	}

}
