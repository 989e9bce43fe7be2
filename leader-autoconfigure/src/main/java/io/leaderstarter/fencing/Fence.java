package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SqlError;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the highest epoch of each role in one database.
 * <p>
 * A term begins only after its epoch was raised here. From then on no transaction of an
 * earlier term commits: each checks the row before it commits, under a lock that the
 * raise waits for. This does not depend on any clock.
 *
 * @since 0.1.0
 */
public final class Fence implements AutoCloseable {

	private static final Duration PREPARE_TIMEOUT = Duration.ofSeconds(10);

	private final String name;

	private final DataSource dataSource;

	private final FenceSettings settings;

	private final LeaderTable table;

	private final LastRunTable lastRuns;

	private final DedicatedConnection connection;

	private final List<FenceListener> listeners = new CopyOnWriteArrayList<>();

	private final FenceCheck check;

	private final Predicate<String> roles;

	/** There are none before the fence was prepared. */
	private volatile @Nullable FenceSql sql;

	/**
	 * Create the fence of a database.
	 * @param name the name of the database in messages
	 * @param dataSource where the application's transactions get their connections
	 * @param dedicated where dedicated connections come from, so that a raise never waits
	 * for the application's pool
	 * @param settings how fences are kept
	 * @param roles which roles the fence is for
	 */
	public Fence(String name, DataSource dataSource, DataSource dedicated, FenceSettings settings,
			Predicate<String> roles) {
		this.name = name;
		this.dataSource = dataSource;
		this.settings = settings;
		this.table = new LeaderTable("fence", settings.schema().tablePrefix(), FenceSql.COLUMNS);
		this.connection = new DedicatedConnection(dedicated);
		this.lastRuns = new LastRunTable(this, dedicated, settings);
		this.check = new FenceCheck(this, settings.namespace(), this.listeners);
		this.roles = roles;
	}

	/**
	 * Return the name of the database in messages.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Add a listener to this fence.
	 * @param listener the listener
	 */
	public void addListener(FenceListener listener) {
		this.listeners.add(listener);
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/** Return whether terms of a role begin only after their epoch was raised here. */
	boolean isFor(String role) {
		return this.roles.test(role);
	}

	boolean isPrepared() {
		return this.sql != null;
	}

	/**
	 * Make sure that the table exists.
	 */
	synchronized void prepare() {
		JdbcDialect detected = null;
		try {
			detected = this.connection.execute(PREPARE_TIMEOUT,
					(session) -> JdbcDialects.detect(session.connection(), this.settings.schema().platform()));
			prepare(detected);
		}
		catch (SQLException ex) {
			throw FenceException.unusable("The fence in '%s' cannot be used", this.name, detected, ex);
		}
		this.lastRuns.prepareIfKept(this.connection, dialect());
	}

	private void prepare(JdbcDialect detected) throws SQLException {
		this.connection.execute(PREPARE_TIMEOUT, (session) -> {
			if (detected.isReadOnly(session.connection())) {
				throw SqlError.readOnly("it is read-only, perhaps a replica, so nothing can be fenced there. "
						+ "Leave it out by naming all others in leader.fence.data-sources");
			}
			this.table.require(session.connection(), detected, this.settings.schema().initialize());
			return true;
		});
		FenceSql statements = new FenceSql(this.table.qualifiedName(), detected, this.settings);
		new FenceRows(this.name, this.connection, this.settings, statements).rehearse(PREPARE_TIMEOUT);
		this.sql = statements;
	}

	/**
	 * A database that was unreachable when the application started may be reachable now.
	 */
	private synchronized void prepareOnce() {
		if (this.sql == null) {
			prepare();
		}
	}

	/**
	 * Return the dialect of the database, after preparing the fence if that was not done
	 * yet.
	 */
	JdbcDialect preparedDialect() {
		if (this.sql == null) {
			prepareOnce();
		}
		return dialect();
	}

	/**
	 * Guard those of the tables that exist in this database, and return them.
	 */
	synchronized Set<String> guard(Collection<String> tables) throws SQLException {
		JdbcDialect known = dialect();
		return this.connection.execute(PREPARE_TIMEOUT,
				(session) -> GuardedTables.guard(session.connection(), known, this.settings, tables));
	}

	/**
	 * Read fences, those that were never raised left out.
	 */
	synchronized Map<String, FenceRow> read(Collection<String> roles) {
		if (roles.isEmpty()) {
			return Map.of();
		}
		prepareOnce();
		try {
			return rows().readAll(roles);
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be read: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/**
	 * Raise the fence for a term. Waits for transactions of earlier terms that have
	 * passed their check.
	 */
	synchronized void raise(Leadership leadership, String storeId) {
		prepareOnce();
		long begun = System.nanoTime();
		boolean raised = false;
		try {
			rows().raise(leadership, storeId);
			raised = true;
		}
		finally {
			notifyOfRaise(leadership, Duration.ofNanos(System.nanoTime() - begun), raised);
		}
	}

	/**
	 * Let the fence of a role belong to another store.
	 * @param adoption the decision
	 * @throws FenceException if it fails, or if the fence is not as the adoption expects;
	 * nothing is changed then
	 */
	synchronized void adopt(FenceAdoption adoption) {
		try {
			if (!rows().adopt(PREPARE_TIMEOUT, adoption)) {
				throw new FenceException(
						"The fence in '%s' was not adopted, as it is not as expected: %s. It is %s. Find out what happened to '%s'"
							.formatted(this.name, adoption, read(List.of(adoption.role())).get(adoption.role()),
									adoption.role()),
						null);
			}
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be adopted: %s".formatted(this.name, ex.getMessage()),
					ex);
		}
	}

	/**
	 * Make sure that last runs can be kept here: at once if the fence is in use already,
	 * otherwise when it is prepared.
	 */
	synchronized void keepLastRuns() {
		this.lastRuns.keep();
		if (isPrepared()) {
			this.lastRuns.prepareIfKept(this.connection, dialect());
		}
	}

	LastRunTable lastRuns() {
		return this.lastRuns;
	}

	boolean opensTransactions() {
		return this.settings.transactions().areOpened();
	}

	FenceCheck check() {
		return this.check;
	}

	/** Close all connections until they are needed again. */
	void disconnect() {
		synchronized (this) {
			this.connection.disconnect();
		}
		this.lastRuns.disconnect();
	}

	@Override
	public void close() {
		synchronized (this) {
			this.connection.close();
		}
		this.lastRuns.close();
	}

	private void notifyOfRaise(Leadership leadership, Duration took, boolean raised) {
		this.listeners.forEach((listener) -> listener.onRaise(this.name, leadership, took, raised));
	}

	private FenceRows rows() {
		return new FenceRows(this.name, this.connection, this.settings, sql());
	}

	FenceSql sql() {
		FenceSql known = this.sql;
		if (known == null) {
			throw new FenceException("The fence in '%s' was not prepared yet".formatted(this.name), null);
		}
		return known;
	}

	private JdbcDialect dialect() {
		return sql().dialect();
	}

}
