package io.leaderstarter.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which database there is, and makes sure that it has the table and a clock.
 */
final class JdbcLeaseSchema {

	private static final Log logger = LogFactory.getLog(JdbcLeaseSchema.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final long LEAST_ADVANCE_MICROS = 1000;

	private static final long LARGEST_OFFSET_MICROS = Duration.ofMinutes(10).toNanos() / 1000;

	private final JdbcLeaseProperties properties;

	private final LeaderTable table;

	private @Nullable LeaseSql sql;

	JdbcLeaseSchema(JdbcLeaseProperties properties) {
		this.properties = properties;
		this.table = new LeaderTable("lease", properties.tablePrefix(), LeaseSql.COLUMNS);
	}

	void prepare(DedicatedConnection connection) {
		try {
			JdbcDialect dialect = connection.execute(PATIENCE,
					(jdbc, timeout) -> JdbcDialects.detect(jdbc, this.properties.platform()));
			connection.execute(PATIENCE, (jdbc, timeout) -> {
				this.table.require(jdbc, dialect, this.properties.initializeSchema());
				return true;
			});
			if (dialect.isAssumed()) {
				connection.execute(PATIENCE, (jdbc, timeout) -> tryClock(jdbc, dialect));
			}
			this.sql = new LeaseSql(this.table.qualifiedName(), dialect);
		}
		catch (SQLException ex) {
			throw new StoreException(
					"The database of the leases cannot be used (%s). Check spring.datasource, or the @LeaderDataSource if there is one"
						.formatted(ex.getMessage()),
					ex);
		}
	}

	LeaseSql sql() {
		if (this.sql == null) {
			throw new IllegalStateException("prepare() was not called");
		}
		return this.sql;
	}

	/**
	 * A clock that stands still would never let a lease run out; one in another time zone
	 * could differ between members.
	 */
	private boolean tryClock(Connection jdbc, JdbcDialect dialect) throws SQLException {
		long first = readClock(jdbc, dialect);
		try {
			Thread.sleep(50);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		long second = readClock(jdbc, dialect);
		long offset = Math.abs(second - System.currentTimeMillis() * 1000);
		if (second - first < LEAST_ADVANCE_MICROS || offset > LARGEST_OFFSET_MICROS) {
			throw new StoreException(
					"The clock of this database cannot be read as it is assumed: it went on by %d us in 50 ms and is %d s away from this machine's. Use a database with a dialect of its own for the leases (a @LeaderDataSource), or let sessions of this one run in UTC"
						.formatted(second - first, offset / 1_000_000),
					null);
		}
		logger.info("The database (%s) has no dialect of its own here. Its clock is read by: %s"
			.formatted(jdbc.getMetaData().getDatabaseProductName(), dialect.nowMicros()));
		return true;
	}

	private long readClock(Connection jdbc, JdbcDialect dialect) throws SQLException {
		try (Statement statement = jdbc.createStatement();
				ResultSet result = statement.executeQuery("values (" + dialect.nowMicros() + ")")) {
			result.next();
			return result.getLong(1);
		}
	}

}
