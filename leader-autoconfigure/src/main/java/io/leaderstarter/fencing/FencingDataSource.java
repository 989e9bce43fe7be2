package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks what commits by itself: statements in autocommit mode, {@code commit()}, and the
 * switch back to autocommit. Whether a statement commits by itself is asked of the
 * connection. Within a transaction of Spring's it takes part in that one, which is
 * checked when it commits.
 * <p>
 * Outside of {@code @LeaderOnly} calls there is no term to check, so nothing is done
 * there, unless a term is demanded.
 *
 * @since 0.1.0
 */
public final class FencingDataSource extends DelegatingDataSource {

	private final Supplier<Fences> fences;

	private final boolean termDemanded;

	/**
	 * Makes the {@code DataSource}.
	 * @param target where connections come from
	 * @param fences what is checked, asked for when first needed
	 * @param termDemanded whether statements outside of {@code @LeaderOnly} calls are
	 * refused rather than let through
	 */
	public FencingDataSource(DataSource target, Supplier<Fences> fences, boolean termDemanded) {
		super(target);
		this.fences = fences;
		this.termDemanded = termDemanded;
	}

	@Override
	public Connection getConnection() throws SQLException {
		DataSource target = obtainTargetDataSource();
		FenceCheck check = new FenceCheck(this.fences, target, this.termDemanded);
		if (this.termDemanded) {
			// What is misconfigured shows at once, and not only on the leader.
			check.fence();
		}
		// A connection that is put around the application's own must be as independent of
		// others as that is. Only a transaction that is there already is shared.
		boolean shared = this.termDemanded || TransactionSynchronizationManager.hasResource(target);
		Connection borrowed = shared ? DataSourceUtils.doGetConnection(target) : target.getConnection();
		return FencingConnection.wrap(borrowed, target, shared, check);
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		throw new SQLException("A fencing DataSource has only the user of its target");
	}

}
