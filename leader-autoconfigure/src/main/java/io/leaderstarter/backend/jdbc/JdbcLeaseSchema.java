package io.leaderstarter.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.backend.support.Prepared;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.jdbc.SqlError;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Detects the dialect of the database, and makes sure that it has the tables and a clock.
 */
final class JdbcLeaseSchema {

	private static final Log logger = LogFactory.getLog(JdbcLeaseSchema.class);

	private static final int MOST_READS = 100;

	private static final int MOST_TRIES = 10;

	private static final Duration PREPARE_TIMEOUT = Duration.ofSeconds(10);

	private static final String SETTINGS = "spring.datasource, or the @LeaderDataSource if there is one";

	private static final String FOREIGN = "This database is not supported, and does not understand the standard SQL that is used for others.  "
			+ "Keep the leases in PostgreSQL, MySQL, MariaDB or H2: mark a DataSource bean for it @LeaderDataSource. Or set leader.backend to zookeeper or etcd.";

	private static final Duration CLOCK_CHECK = Duration.ofMillis(50);

	private static final long LEAST_ADVANCE_MICROS = 1000;

	private static final long LARGEST_OFFSET_MICROS = Duration.ofMinutes(10).toNanos() / 1000;

	private final SchemaSettings settings;

	private final LeaderTable table;

	private final LeaderTable storeTable;

	private final LeaderTable memberTable;

	private final Prepared<String> storeId = new Prepared<>();

	JdbcLeaseSchema(SchemaSettings settings) {
		this.settings = settings;
		this.table = new LeaderTable("lease", settings.tablePrefix(), LeaseTable.COLUMNS);
		this.storeTable = new LeaderTable("store", settings.tablePrefix(), List.of("id", "uuid"));
		this.memberTable = new LeaderTable("member", settings.tablePrefix(), MemberTable.COLUMNS);
	}

	JdbcDialect prepare(DedicatedConnection connection) {
		JdbcDialect dialect = null;
		try {
			dialect = connection.execute(PREPARE_TIMEOUT,
					(session) -> JdbcDialects.detect(session.connection(), this.settings.platform()));
			prepare(connection, dialect);
			return dialect;
		}
		catch (SQLException ex) {
			String advice = SqlError.advice(ex, "the store", SETTINGS);
			if (advice == null) {
				advice = (dialect != null && dialect.isAssumed()) ? foreign() : "Check %s.".formatted(SETTINGS);
			}
			throw new StoreException("The database of the leases cannot be used: %s".formatted(ex.getMessage()), advice,
					ex);
		}
	}

	private String foreign() {
		return (this.settings.platform() != null) ? "Remove leader.schema.platform, so that the platform is detected."
				: FOREIGN;
	}

	private void prepare(DedicatedConnection connection, JdbcDialect dialect) throws SQLException {
		connection.checkNew((session) -> refuseReadOnly(session, dialect));
		connection.execute(PREPARE_TIMEOUT, (session) -> refuseReadOnly(session, dialect));
		requireTables(connection, dialect);
		this.storeId.set(connection.execute(PREPARE_TIMEOUT, this::readOrMakeStoreId));
		if (dialect.isAssumed()) {
			connection.execute(PREPARE_TIMEOUT, (session) -> tryClock(session, dialect));
		}
	}

	String table() {
		return this.table.qualifiedName();
	}

	LeaderTable memberTable() {
		return this.memberTable;
	}

	String storeId() {
		return this.storeId.get();
	}

	/**
	 * Make sure that all tables can be used, and report all that cannot in one exception.
	 * <p>
	 * Elections do not need the list of members, so an application still starts if its
	 * user may not create or use that table. The failure is reported when the list is
	 * first read.
	 */
	private void requireTables(DedicatedConnection connection, JdbcDialect dialect) throws SQLException {
		List<LeaderSchemaException> refusals = new ArrayList<>();
		require(connection, dialect, refusals, this.table, "insert", "update");
		require(connection, dialect, refusals, this.storeTable);
		boolean usable = refusals.isEmpty();
		require(connection, dialect, refusals, this.memberTable, "insert", "update", "delete");
		if (!usable || refusals.stream().anyMatch(LeaderSchemaException::isMissing)) {
			throw LeaderSchemaException.of(refusals);
		}
		refusals.forEach((refusal) -> logger.debug("The table of the members cannot be used", refusal));
	}

	private void require(DedicatedConnection connection, JdbcDialect dialect, List<LeaderSchemaException> refusals,
			LeaderTable required, String... rights) throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				connection.execute(PREPARE_TIMEOUT, (session) -> {
					try {
						required.require(session.connection(), dialect, this.settings.initialize());
						// The store id is written once.
						boolean written = required == this.storeTable && readStoreId(session) == null;
						required.requireRights(session.connection(), written ? List.of("insert") : List.of(rights));
						return true;
					}
					catch (LeaderSchemaException ex) {
						return refusals.add(ex);
					}
				});
				return;
			}
			catch (SQLException ex) {
				// Another replica may just be creating the table.
				if (!SqlError.CONFLICT.is(ex) || tries == MOST_TRIES) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Return the store id. The first member creates it. A second one that does so at the
	 * same time violates the primary key and reads it: again and again, as MariaDB
	 * refuses a duplicate a moment before other transactions see the row.
	 */
	private String readOrMakeStoreId(JdbcSession session) throws SQLException {
		for (int tries = 0; tries < MOST_READS; tries++) {
			String known = readStoreId(session);
			if (known != null) {
				return known;
			}
			makeStoreId(session);
		}
		throw new SQLException("The row of %s cannot be read".formatted(this.storeTable.qualifiedName()));
	}

	private void makeStoreId(JdbcSession session) throws SQLException {
		try {
			session.update("insert into %s (id, uuid) values (1, ?)".formatted(this.storeTable.qualifiedName()),
					Platform.SYSTEM.randomId());
		}
		catch (SQLException ex) {
			if (!SqlError.DUPLICATE_KEY.is(ex)) {
				throw ex;
			}
		}
	}

	private @Nullable String readStoreId(JdbcSession session) throws SQLException {
		List<String> found = session.query(
				"select uuid from %s where id = 1".formatted(this.storeTable.qualifiedName()),
				(row, number) -> row.getString(1));
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Refuse a replica: leases cannot be taken there, and what is read may be stale.
	 */
	private static boolean refuseReadOnly(JdbcSession session, JdbcDialect dialect) throws SQLException {
		if (dialect.isReadOnly(session.connection())) {
			throw SqlError.readOnly("it is read-only, perhaps a replica; leases need the primary");
		}
		return true;
	}

	/**
	 * Verify the clock of a fallback dialect. With one that does not advance no lease
	 * would ever expire; one in another time zone could differ between members.
	 */
	private boolean tryClock(JdbcSession session, JdbcDialect dialect) throws SQLException {
		long first = readClock(session, dialect);
		Platform.SYSTEM.await(() -> false, CLOCK_CHECK);
		long second = readClock(session, dialect);
		long offset = Math.abs(second - System.currentTimeMillis() * 1000);
		if (second - first < LEAST_ADVANCE_MICROS || offset > LARGEST_OFFSET_MICROS) {
			throw new StoreException(
					"The clock of this database cannot be read with standard SQL: it advanced by %d us in 50 ms and differs by %d s from that of this machine"
						.formatted(second - first, offset / 1_000_000),
					"Use a supported database for the leases (a @LeaderDataSource), or let sessions of this one run in UTC.",
					null);
		}
		logger.info("The database (%s) has no dialect here. Its clock is read by: %s"
			.formatted(session.connection().getMetaData().getDatabaseProductName(), dialect.nowMicros()));
		return true;
	}

	private static long readClock(JdbcSession session, JdbcDialect dialect) throws SQLException {
		return session.query("values (" + dialect.nowMicros() + ")", (row, number) -> row.getLong(1)).get(0);
	}

}
