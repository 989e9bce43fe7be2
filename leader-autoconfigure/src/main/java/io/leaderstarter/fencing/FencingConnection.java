package io.leaderstarter.fencing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection that checks before it commits, and whose statements do.
 */
final class FencingConnection implements InvocationHandler {

	/** What was borrowed from the {@code DataSource} and is given back to it. */
	private final Connection borrowed;

	/** What is behind it, as two of us around one connection would check twice. */
	private final Connection target;

	private final @Nullable FencingConnection inner;

	private final DataSource dataSource;

	private final boolean shared;

	private final FenceCheck check;

	private final Connection proxy;

	/** Terms that were checked already in the transaction that is about to commit. */
	private Collection<ActiveTerm> passed = Set.of();

	/** Terms of all calls that took part in the transaction that was begun by hand. */
	private final Set<ActiveTerm> joined = new LinkedHashSet<>();

	/** Whether there was a statement since the last commit or rollback. */
	private boolean used;

	/** Whether the database was told of the transaction that was begun by hand. */
	private boolean begun;

	private boolean closed;

	private FencingConnection(Connection borrowed, DataSource dataSource, boolean shared, FenceCheck check) {
		this.shared = shared;
		this.borrowed = borrowed;
		this.inner = of(borrowed);
		this.target = (this.inner != null) ? this.inner.target : borrowed;
		this.dataSource = dataSource;
		this.check = check;
		this.proxy = (Connection) proxy(this, ConnectionProxy.class);
	}

	/**
	 * Wraps a connection.
	 * @param borrowed what the {@code DataSource} gave out
	 * @param dataSource where it is given back
	 * @param shared whether it may be that of Spring's transaction
	 * @param check what is checked
	 */
	static Connection wrap(Connection borrowed, DataSource dataSource, boolean shared, FenceCheck check) {
		return new FencingConnection(borrowed, dataSource, shared, check).proxy;
	}

	static boolean isOne(Connection connection) {
		return of(connection) != null;
	}

	private static @Nullable FencingConnection of(Connection connection) {
		return (Proxy.isProxyClass(connection.getClass())
				&& Proxy.getInvocationHandler(connection) instanceof FencingConnection fencing) ? fencing : null;
	}

	/**
	 * Takes note that terms were checked on a connection, which commits next. The lock of
	 * that check lasts until then, so there need not be another one.
	 */
	static void passed(Connection connection, Collection<ActiveTerm> terms) {
		FencingConnection fencing = of(connection);
		if (fencing != null) {
			fencing.passed = Set.copyOf(terms);
		}
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		JdbcCall call = new JdbcCall(method, args);
		switch (call.name()) {
			case "getTargetConnection" -> {
				return this.target;
			}
			case "equals" -> {
				return proxy == call.first();
			}
			case "hashCode" -> {
				return System.identityHashCode(proxy);
			}
			case "close" -> {
				if (!this.closed) {
					this.closed = true;
					close();
				}
				return null;
			}
			case "isClosed" -> {
				return this.closed || this.target.isClosed();
			}
			case "unwrap" -> {
				if (call.first() instanceof Class<?> type && type.isInstance(proxy)) {
					return proxy;
				}
			}
			case "createStatement", "prepareStatement", "prepareCall" -> {
				return FencingStatement.make(this, call);
			}
			case "commit" -> {
				checkCommit();
				call.on(this.target);
				ended();
				return null;
			}
			case "rollback" -> {
				// To a savepoint too: the lock of the check may be gone with it.
				this.passed = Set.of();
				call.on(this.target);
				if (call.count() == 0) {
					ended();
				}
				return null;
			}
			case "setAutoCommit" -> {
				if (Boolean.TRUE.equals(call.first()) && !this.target.getAutoCommit() && this.used) {
					// By JDBC's rules this commits what was done so far. After a rollback
					// that is nothing, and must not fail: it comes before a close.
					checkCommit();
					call.on(this.target);
					ended();
					return null;
				}
			}
			default -> {
			}
		}
		return call.on(this.target);
	}

	private void close() throws SQLException {
		try {
			if (this.begun && !this.target.isClosed()) {
				// Left in the middle of a transaction. The pool undoes that, but does not
				// know what the session was told.
				if (!this.target.getAutoCommit()) {
					this.target.rollback();
				}
				ended();
			}
		}
		finally {
			if (this.shared) {
				DataSourceUtils.doReleaseConnection(this.borrowed, this.dataSource);
			}
			else {
				this.borrowed.close();
			}
		}
	}

	/** A statement takes part in the time-out of Spring's transaction. */
	void limit(Statement statement) throws SQLException {
		DataSourceUtils.applyTransactionTimeout(statement, this.dataSource);
	}

	Connection target() {
		return this.target;
	}

	Connection proxy() {
		return this.proxy;
	}

	/**
	 * Returns whether what a statement does now commits at once and has to be checked.
	 */
	boolean commitsByItself() throws SQLException {
		return this.check.isNeeded() && this.target.getAutoCommit();
	}

	/**
	 * Comes before each statement of a transaction. The database is told of those that
	 * were begun by hand; Spring's are told when they begin.
	 */
	void inTransaction() throws SQLException {
		use();
		if (this.inner != null) {
			this.inner.use();
		}
		if (!this.begun && this.check.isNeeded()
				&& !DataSourceUtils.isConnectionTransactional(this.borrowed, this.dataSource)
				&& !TransactionSynchronizationManager.isActualTransactionActive()) {
			this.begun = true;
			this.check.begin(this.target, LeaderContext.terms());
		}
	}

	private void use() {
		this.used = true;
		this.joined.addAll(LeaderContext.terms());
	}

	private void ended() throws SQLException {
		this.passed = Set.of();
		this.joined.clear();
		this.used = false;
		if (this.begun) {
			this.begun = false;
			this.check.end(this.target);
		}
	}

	/**
	 * Plans to do what a call of JDBC asks for in one round trip.
	 * @return the plan, {@code null} if that cannot be done
	 */
	@Nullable OneTrip plan(JdbcCall call) throws SQLException {
		return (call.first() instanceof String sql) ? OneTrip.plan(this.check, this.target, sql) : null;
	}

	/**
	 * Returns whether a plan is that of the present call, and not of another one.
	 */
	boolean mayUse(OneTrip trip) {
		return trip.isOf(this.check.terms());
	}

	/**
	 * Makes a trip, after which no transaction is open.
	 */
	OneTrip.Results inOneTrip(OneTrip trip, Statement statement) throws Throwable {
		try {
			return trip.run(statement);
		}
		catch (Throwable ex) {
			// The driver knows of no transaction, so the server is told in its own words.
			try (Statement ending = this.target.createStatement()) {
				ending.execute("rollback");
			}
			catch (SQLException | RuntimeException failed) {
				ex.addSuppressed(failed);
				abandon(ex);
			}
			throw ex;
		}
	}

	/**
	 * Makes a call in a transaction of its own, that is checked before it commits.
	 */
	@Nullable Object inTransaction(JdbcCall call, Statement statement) throws Throwable {
		this.target.setAutoCommit(false);
		try {
			this.check.begin(this.target, LeaderContext.terms());
			// All rows at once, as in autocommit mode: a cursor would end with the
			// commit.
			statement.setFetchSize(0);
			Object result = call.on(statement);
			this.check.check(this.target);
			this.target.commit();
			this.target.setAutoCommit(true);
			this.check.end(this.target);
			return result;
		}
		catch (Throwable ex) {
			rollback(ex);
			throw ex;
		}
	}

	/** The calls that wrote may have returned before the transaction commits. */
	private void checkCommit() {
		Collection<ActiveTerm> before = this.passed;
		this.passed = Set.of();
		Set<ActiveTerm> terms = new LinkedHashSet<>(this.joined);
		terms.addAll(LeaderContext.terms());
		if ((this.check.isNeeded() || !terms.isEmpty()) && !before.containsAll(terms)) {
			this.check.check(this.target, terms);
		}
	}

	/**
	 * Only what was rolled back may be switched to autocommit, as that would commit it.
	 */
	private void rollback(Throwable cause) {
		try {
			this.target.rollback();
			this.target.setAutoCommit(true);
			this.check.end(this.target);
		}
		catch (SQLException | RuntimeException ex) {
			cause.addSuppressed(ex);
			abandon(cause);
		}
	}

	private void abandon(Throwable cause) {
		try {
			this.target.abort(Runnable::run);
		}
		catch (SQLException | RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

	static Object proxy(InvocationHandler handler, Class<?> type) {
		return Proxy.newProxyInstance(FencingConnection.class.getClassLoader(), new Class<?>[] { type }, handler);
	}

}
