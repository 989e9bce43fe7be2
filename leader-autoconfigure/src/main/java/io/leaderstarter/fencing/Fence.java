package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.Set;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in one database, for each role, the highest epoch that may write there.
 * <p>
 * A term begins only after its epoch was raised here. From then on no transaction of an
 * earlier term commits: each checks the row before it commits, under a lock that the
 * raise waits for. No clock is trusted for this.
 *
 * @since 0.1.0
 */
public final class Fence implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final String name;

	private final DataSource dataSource;

	private final FenceSettings settings;

	private final LeaderTable table;

	private final TickTable ticks;

	private final DedicatedConnection connection;

	/** The statement of a term is the same every time, and every statement needs it. */
	private final Map<String, Demand> demands = new ConcurrentHashMap<>();

	private final List<FenceListener> listeners = new CopyOnWriteArrayList<>();

	private volatile @Nullable JdbcDialect dialect;

	private volatile @Nullable FenceSql sql;

	private volatile boolean keepsTicks;

	private volatile boolean ticksPrepared;

	/**
	 * Makes the fence of a database.
	 * @param name what people know the database by
	 * @param dataSource where the application's transactions get their connections
	 * @param own where a connection of our own comes from, so that a raise never waits
	 * for the application's pool
	 * @param settings how fences are kept
	 */
	public Fence(String name, DataSource dataSource, DataSource own, FenceSettings settings) {
		this.name = name;
		this.dataSource = dataSource;
		this.settings = settings;
		this.table = new LeaderTable("fence", settings.tablePrefix(), FenceSql.COLUMNS, "leader.fence");
		this.ticks = new TickTable(settings);
		this.connection = new DedicatedConnection(own);
	}

	/**
	 * Returns what people know the database by.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Registers who wants to know what this fence does.
	 * @param listener what to call
	 */
	public void addListener(FenceListener listener) {
		this.listeners.add(listener);
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Makes sure that the table is there.
	 */
	synchronized void prepare() {
		try {
			JdbcDialect detected = this.connection.execute(PATIENCE,
					(session) -> JdbcDialects.detect(session.connection(), this.settings.platform()));
			this.connection.execute(PATIENCE, (session) -> refuseReadOnly(session, detected));
			this.connection.execute(PATIENCE, (session) -> {
				this.table.require(session.connection(), detected, this.settings.initializeSchema());
				return true;
			});
			this.sql = new FenceSql(this.table.qualifiedName(), detected, this.settings.idleTimeout());
			this.dialect = detected;
			rows().rehearse();
			if (this.keepsTicks) {
				prepareTicks();
			}
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be used: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/** A database that was away when the application started may be there now. */
	private void prepareOnce() {
		if (this.dialect == null) {
			prepare();
		}
	}

	/**
	 * Guards those of the tables that are in this database, and returns them.
	 */
	synchronized Set<String> guard(Collection<String> tables) throws SQLException {
		JdbcDialect known = dialect();
		return this.connection.execute(PATIENCE,
				(session) -> GuardedTables.guard(session.connection(), known, this.settings, tables));
	}

	private static boolean refuseReadOnly(JdbcSession session, JdbcDialect dialect) throws SQLException {
		String query = dialect.readOnlyQuery();
		if (query != null) {
			try (Statement statement = session.createStatement(); ResultSet result = statement.executeQuery(query)) {
				if (result.next() && result.getBoolean(1)) {
					throw new SQLException("it is read-only, perhaps a replica, so nothing can be fenced there",
							"25006");
				}
			}
		}
		return true;
	}

	/**
	 * Reads fences, those that were never raised left out.
	 */
	synchronized Map<String, FenceRow> read(Collection<String> roles) {
		if (roles.isEmpty()) {
			return Map.of();
		}
		prepareOnce();
		try {
			return rows().read(roles);
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be read: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/**
	 * Raises the fence for a term. Waits for transactions of earlier terms that have
	 * passed their check; that is what it is for.
	 */
	synchronized void raise(Leadership leadership, String authority) {
		prepareOnce();
		long begun = System.nanoTime();
		boolean raised = false;
		try {
			new FenceRaise(this.name, rows()).raise(leadership, authority);
			raised = true;
		}
		finally {
			Duration took = Duration.ofNanos(System.nanoTime() - begun);
			for (FenceListener listener : this.listeners) {
				listener.onRaise(this.name, leadership, took, raised);
			}
		}
	}

	/**
	 * Lets the fence of a role belong to another store.
	 * @param adoption who decided what, and why
	 * @throws FenceException if it cannot be done, or the fence is not as the adoption
	 * says; nothing is changed then
	 */
	synchronized void adopt(FenceAdoption adoption) {
		try {
			FenceAudit audit = new FenceAudit(this.settings);
			JdbcDialect dialect = dialect();
			this.connection.execute(PATIENCE, (session) -> audit.prepare(session, dialect));
			if (!this.connection.execute(PATIENCE, (session) -> audit.adopt(session, dialect, sql(), adoption))) {
				throw new FenceException(
						"The fence in '%s' was not adopted, as it is not as expected: %s. It is %s. Look again at what happened to '%s'"
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
	 * Makes sure that methods can be noted here that run at most every so often: at once
	 * if the fence is in use already, otherwise when it is prepared.
	 */
	synchronized void keepTicks() {
		this.keepsTicks = true;
		if (this.dialect != null) {
			try {
				prepareTicks();
			}
			catch (SQLException ex) {
				throw new FenceException("Ticks cannot be noted in '%s': %s".formatted(this.name, ex.getMessage()), ex);
			}
		}
	}

	private void prepareTicks() throws SQLException {
		if (!this.ticksPrepared) {
			JdbcDialect known = dialect();
			this.connection.execute(PATIENCE, (session) -> this.ticks.prepare(session, known));
			this.ticksPrepared = true;
		}
	}

	/**
	 * Takes note that a task begins, unless it began too short a while ago.
	 */
	synchronized boolean begin(ActiveTerm term, String task, Duration period) {
		prepareOnce();
		Leadership leadership = term.leadership();
		TickTable.Tick tick = new TickTable.Tick(leadership.role(), leadership.epoch(), task, period);
		try {
			prepareTicks();
			return beginOrRetry(term, tick);
		}
		catch (SQLException ex) {
			throw new FenceException("Whether '%s' ran a short while ago cannot be asked of '%s': %s".formatted(task,
					this.name, ex.getMessage()), ex);
		}
	}

	/** First notes of two roles can be each other's victim in MySQL and MariaDB. */
	private boolean beginOrRetry(ActiveTerm term, TickTable.Tick tick) throws SQLException {
		try {
			return begin(term, tick);
		}
		catch (SQLException ex) {
			if (ex.getSQLState() == null || !ex.getSQLState().startsWith("40")) {
				throw ex;
			}
			return begin(term, tick);
		}
	}

	private boolean begin(ActiveTerm term, TickTable.Tick tick) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(),
				(session) -> this.ticks.begin(session, dialect(), tick, (transaction) -> check(transaction, term)));
	}

	/**
	 * Tells the database at the beginning of a transaction what it has to know of it.
	 * @param terms the terms of the transaction, in the order of their checks
	 */
	void begin(Connection transaction, Collection<ActiveTerm> terms) throws SQLException {
		run(transaction, opening().begin(terms));
	}

	/**
	 * Makes the session forget at the end of a transaction what it was told.
	 */
	void end(Connection transaction) throws SQLException {
		run(transaction, opening().end());
	}

	boolean tellsTransactions() {
		return this.settings.idleFromBegin() || this.settings.termsCarried();
	}

	FenceOpening opening() {
		return new FenceOpening(this.settings, dialect());
	}

	private static void run(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}
	}

	/**
	 * Checks on the connection of a transaction that a term may still commit, and keeps
	 * any later term from beginning until the transaction has ended.
	 * @throws StaleLeaderException if the term is over
	 */
	void check(Connection transaction, ActiveTerm term) throws SQLException {
		Leadership leadership = term.leadership();
		// What is over by our own clock does not even ask. So a deposed member that is
		// awake does not hold up its successor's raise.
		if (!term.isValid()) {
			throw refused(leadership);
		}
		long begun = System.nanoTime();
		try (PreparedStatement statement = transaction.prepareStatement(sql().check())) {
			statement.setString(1, this.settings.namespace());
			statement.setString(2, leadership.role());
			try (ResultSet result = statement.executeQuery()) {
				if (!result.next() || result.getLong(1) != leadership.epoch()
						|| !leadership.tenure().equals(result.getString(2))) {
					throw refused(leadership);
				}
			}
		}
		finally {
			Duration took = Duration.ofNanos(System.nanoTime() - begun);
			for (FenceListener listener : this.listeners) {
				listener.onCheck(this.name, took);
			}
		}
	}

	/**
	 * Returns what says that the writes of a term are refused.
	 */
	StaleLeaderException refused(Leadership leadership) {
		for (FenceListener listener : this.listeners) {
			listener.onRefusal(this.name, leadership);
		}
		return new StaleLeaderException(leadership);
	}

	/**
	 * Returns a statement that does what {@link #check} does, but fails in the server if
	 * the term is over, with a message that {@link #isRefusal} knows.
	 * @return SQL, {@code null} if it has to be {@link #check}
	 * @throws StaleLeaderException if the term is over by our own clock
	 */
	@Nullable String demand(ActiveTerm term) {
		Leadership leadership = term.leadership();
		if (!term.isValid()) {
			throw refused(leadership);
		}
		Demand known = this.demands.get(leadership.role());
		if (known == null || !known.leadership().equals(leadership)) {
			known = new Demand(leadership, sql().demand(this.settings.namespace(), leadership));
			this.demands.put(leadership.role(), known);
		}
		return known.sql();
	}

	static boolean isRefusal(SQLException failure, ActiveTerm term) {
		String message = failure.getMessage();
		// A syntax error may show the whole statement, so the message is not enough.
		return "22P02".equals(failure.getSQLState()) && message != null
				&& message.contains(FenceSql.refusal(term.leadership()));
	}

	/**
	 * Returns whether a transaction on this connection cannot have written anything,
	 * because the database itself sees to that.
	 */
	boolean isReadOnly(Connection transaction) throws SQLException {
		String query = dialect().readOnlyTransactionQuery();
		if (query == null || !transaction.isReadOnly()) {
			return false;
		}
		try (Statement statement = transaction.createStatement(); ResultSet result = statement.executeQuery(query)) {
			return result.next() && result.getBoolean(1);
		}
	}

	@Override
	public synchronized void close() {
		this.connection.close();
	}

	private FenceRows rows() {
		return new FenceRows(this.connection, this.settings, sql(),
				dialect().lockHoldersQuery(this.table.qualifiedName()));
	}

	private FenceSql sql() {
		return prepared(this.sql);
	}

	private JdbcDialect dialect() {
		return prepared(this.dialect);
	}

	private <T> T prepared(@Nullable T part) {
		if (part == null) {
			throw new FenceException("The fence in '%s' was not prepared yet".formatted(this.name), null);
		}
		return part;
	}

	private record Demand(Leadership leadership, @Nullable String sql) {
	}

}
