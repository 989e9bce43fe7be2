package io.leaderstarter.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.fencing.FenceCheck;
import io.leaderstarter.fencing.FenceException;
import io.leaderstarter.fencing.Fences;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks what commits without Spring: statements in autocommit mode, {@code commit()},
 * and the switch back to autocommit. Within a transaction of Spring its connection is
 * that of the transaction, which is checked when it commits.
 * <p>
 * Outside of {@code @LeaderOnly} calls there is no term, so nothing is checked, unless a
 * term is demanded.
 *
 * @since 0.1.0
 */
public final class FencingDataSource extends DelegatingDataSource {

	private final Supplier<Fences> fences;

	private final boolean termDemanded;

	private volatile @Nullable FenceCheck check;

	/**
	 * Create a new {@code DataSource}.
	 * @param target where connections come from
	 * @param fences the fences, resolved when first needed
	 * @param termDemanded whether statements outside of {@code @LeaderOnly} calls are
	 * refused
	 */
	public FencingDataSource(DataSource target, Supplier<Fences> fences, boolean termDemanded) {
		super(target);
		this.fences = fences;
		this.termDemanded = termDemanded;
	}

	@Override
	public Connection getConnection() throws SQLException {
		DataSource target = obtainTargetDataSource();
		if (this.termDemanded) {
			// A wrong configuration fails at once, and not only on the leader.
			check();
		}
		// A connection that wraps the application's must be as independent of others as
		// that. Only an existing transaction is shared.
		boolean shared = this.termDemanded || TransactionSynchronizationManager.hasResource(target);
		Connection borrowed = shared ? DataSourceUtils.doGetConnection(target) : target.getConnection();
		return new FencingConnection(borrowed, target, shared, this).proxy();
	}

	/**
	 * Return the check of terms.
	 * @throws FenceException if there is no fence
	 */
	FenceCheck check() {
		FenceCheck known = this.check;
		if (known == null) {
			known = this.fences.get().check(obtainTargetDataSource());
			if (known == null) {
				throw new FenceException(
						"There is no fence for this DataSource. If leader.fence.data-sources is set, add its name there",
						null);
			}
			if (known.isPrepared()) {
				this.check = known;
			}
		}
		return known;
	}

	/**
	 * Return whether the current call has to be checked.
	 * @throws NotLeaderException if a term is demanded and there is none
	 */
	boolean isCheckNeeded() {
		boolean needed = !LeaderContext.terms().isEmpty();
		if (!needed && this.termDemanded) {
			throw new NotLeaderException(
					"Fenced JDBC needs a term: call it from a @LeaderOnly method, or use unfenced()");
		}
		return needed;
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		throw new SQLException("A fencing DataSource has only the user of its target");
	}

}
