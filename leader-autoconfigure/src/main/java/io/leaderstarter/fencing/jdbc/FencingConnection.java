package io.leaderstarter.fencing.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.fencing.CheckingConnection;
import io.leaderstarter.fencing.FenceCheck;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection that checks terms before it commits, and whose statements do so in
 * autocommit mode.
 */
final class FencingConnection implements InvocationHandler {

	/** The connection of the {@code DataSource}, which is returned to it. */
	private final Connection borrowed;

	/**
	 * The connection below it, as two fencing connections around it would check twice.
	 */
	private final Connection target;

	private final @Nullable FencingConnection inner;

	private final DataSource dataSource;

	private final boolean shared;

	private final FencingDataSource fencing;

	private final Connection proxy;

	private final ManualTransaction transaction;

	private boolean closed;

	/**
	 * Wrap a connection.
	 * @param borrowed the connection of the {@code DataSource}
	 * @param dataSource where it is returned
	 * @param shared whether it may be that of Spring's transaction
	 * @param fencing knows what is checked
	 */
	FencingConnection(Connection borrowed, DataSource dataSource, boolean shared, FencingDataSource fencing) {
		this.shared = shared;
		this.borrowed = borrowed;
		this.inner = of(borrowed);
		this.target = (this.inner != null) ? this.inner.target : borrowed;
		this.dataSource = dataSource;
		this.fencing = fencing;
		this.transaction = new ManualTransaction(this.target, fencing);
		this.proxy = (Connection) proxy(this, CheckingConnection.class);
	}

	private static @Nullable FencingConnection of(Connection connection) {
		return (Proxy.isProxyClass(connection.getClass())
				&& Proxy.getInvocationHandler(connection) instanceof FencingConnection fencing) ? fencing : null;
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		JdbcCall call = new JdbcCall(method, args);
		return switch (call.name()) {
			case "getTargetConnection" -> this.target;
			case "checked" -> checked(call);
			case "equals" -> proxy == call.first();
			case "hashCode" -> System.identityHashCode(proxy);
			case "close" -> close();
			case "isClosed" -> this.closed || this.target.isClosed();
			case "unwrap" ->
				(call.first() instanceof Class<?> type && type.isInstance(proxy)) ? proxy : call.on(this.target);
			case "createStatement", "prepareStatement", "prepareCall" -> FencingStatement.make(this, call);
			case "commit" -> commit(call);
			case "rollback" -> rollback(call);
			case "setAutoCommit" -> setAutoCommit(call);
			default -> call.on(this.target);
		};
	}

	private @Nullable Object checked(JdbcCall call) {
		if (call.first() instanceof ActiveTerm[] terms) {
			this.transaction.checked(List.of(terms));
		}
		return null;
	}

	private @Nullable Object commit(JdbcCall call) throws Throwable {
		this.transaction.checkCommit();
		call.on(this.target);
		this.transaction.ended();
		return null;
	}

	private @Nullable Object rollback(JdbcCall call) throws Throwable {
		// To a savepoint too: the lock of the check may be gone with it.
		this.transaction.checked(Set.of());
		call.on(this.target);
		if (call.count() == 0) {
			this.transaction.ended();
		}
		return null;
	}

	private @Nullable Object setAutoCommit(JdbcCall call) throws Throwable {
		// JDBC commits here what was done so far. After a rollback that is nothing, and
		// must not fail, as a close follows.
		boolean commits = Boolean.TRUE.equals(call.first()) && !this.target.getAutoCommit()
				&& this.transaction.isUsed();
		return commits ? commit(call) : call.on(this.target);
	}

	private @Nullable Object close() throws SQLException {
		if (this.closed) {
			return null;
		}
		this.closed = true;
		try {
			if (this.transaction.isBegun() && !this.target.isClosed()) {
				// Closed within a transaction. The pool rolls that back, but does not
				// reset the variables of the session.
				if (!this.target.getAutoCommit()) {
					this.target.rollback();
				}
				this.transaction.ended();
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
		return null;
	}

	/** Apply the time-out of Spring's transaction to a statement. */
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
	 * Return whether a statement runs in autocommit mode and has to be checked.
	 */
	boolean commitsByItself() throws SQLException {
		return this.fencing.isCheckNeeded() && this.target.getAutoCommit();
	}

	/**
	 * Called before each statement of a transaction. Sets the variables of those that
	 * were begun without Spring; Spring's are set when they begin.
	 */
	void inTransaction() throws SQLException {
		this.transaction.use();
		if (this.inner != null) {
			this.inner.transaction.use();
		}
		if (!this.transaction.isBegun() && this.fencing.isCheckNeeded()
				&& !DataSourceUtils.isConnectionTransactional(this.borrowed, this.dataSource)
				&& !TransactionSynchronizationManager.isActualTransactionActive()) {
			this.transaction.begin();
		}
	}

	/**
	 * Plan a call of JDBC as one round trip.
	 * @return the plan, {@code null} if that is not possible
	 */
	@Nullable OneTrip plan(JdbcCall call) throws SQLException {
		return (call.first() instanceof String sql) ? OneTrip.plan(this.fencing.check(), this.target, sql) : null;
	}

	/**
	 * Make a round trip, after which no transaction is open.
	 */
	OneTrip.Results inOneTrip(OneTrip trip, Statement statement) throws Throwable {
		try {
			return trip.run(statement);
		}
		catch (Throwable ex) {
			// The driver is not aware of the transaction, so it is ended by a statement.
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
	 * Make a call in a new transaction, which is checked before it commits.
	 */
	@Nullable Object inTransaction(JdbcCall call, Statement statement) throws Throwable {
		FenceCheck check = this.fencing.check();
		this.target.setAutoCommit(false);
		try {
			check.begin(this.target, LeaderContext.terms());
			// All rows at once, as in autocommit mode: a cursor would end with the
			// commit.
			statement.setFetchSize(0);
			Object result = call.on(statement);
			check.check(this.target, LeaderContext.terms());
			this.target.commit();
			this.target.setAutoCommit(true);
			check.end(this.target);
			return result;
		}
		catch (Throwable ex) {
			rollback(check, ex);
			throw ex;
		}
	}

	/**
	 * Switched to autocommit only after the rollback, as that would commit.
	 */
	private void rollback(FenceCheck check, Throwable cause) {
		try {
			this.target.rollback();
			this.target.setAutoCommit(true);
			check.end(this.target);
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
