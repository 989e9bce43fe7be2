package io.leaderstarter.fencing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * A connection that checks before it commits, and the statements that it makes.
 */
final class FencingConnection implements InvocationHandler {

	private final Connection target;

	private final DataSource dataSource;

	private final FenceCheck check;

	private boolean closed;

	private FencingConnection(Connection target, DataSource dataSource, FenceCheck check) {
		this.target = target;
		this.dataSource = dataSource;
		this.check = check;
	}

	static Connection wrap(Connection target, DataSource dataSource, FenceCheck check) {
		return (Connection) proxy(new FencingConnection(target, dataSource, check), ConnectionProxy.class);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
		switch (method.getName()) {
			case "getTargetConnection" -> {
				return this.target;
			}
			case "equals" -> {
				return proxy == first(args);
			}
			case "hashCode" -> {
				return System.identityHashCode(proxy);
			}
			case "close" -> {
				if (!this.closed) {
					this.closed = true;
					DataSourceUtils.doReleaseConnection(this.target, this.dataSource);
				}
				return null;
			}
			case "isClosed" -> {
				return this.closed || this.target.isClosed();
			}
			case "unwrap" -> {
				if (first(args) instanceof Class<?> type && type.isInstance(proxy)) {
					return proxy;
				}
			}
			case "commit" -> checkCommit();
			case "setAutoCommit" -> {
				if (Boolean.TRUE.equals(first(args)) && !this.target.getAutoCommit()) {
					// By JDBC's rules this commits what was done so far.
					checkCommit();
				}
			}
			default -> {
			}
		}
		Object result = call(this.target, method, args);
		return (result instanceof Statement statement) ? wrap(statement, (Connection) proxy) : result;
	}

	private void checkCommit() {
		if (this.check.isNeeded()) {
			this.check.check(this.target);
		}
	}

	private Statement wrap(Statement statement, Connection connection) {
		Class<?> type = (statement instanceof CallableStatement) ? CallableStatement.class
				: (statement instanceof PreparedStatement) ? PreparedStatement.class : Statement.class;
		return (Statement) proxy((proxy, method, args) -> switch (method.getName()) {
			case "getConnection" -> connection;
			case "equals" -> proxy == first(args);
			case "hashCode" -> System.identityHashCode(proxy);
			default -> method.getName().startsWith("execute") ? execute(statement, method, args)
					: call(statement, method, args);
		}, type);
	}

	/**
	 * Runs a statement. If it would commit by itself, it gets a transaction of its own,
	 * that is checked before it commits.
	 */
	private @Nullable Object execute(Statement statement, Method method, Object @Nullable [] args) throws Throwable {
		boolean needed = this.check.isNeeded();
		if (!needed || !this.target.getAutoCommit()) {
			return call(statement, method, args);
		}
		this.target.setAutoCommit(false);
		try {
			// All rows at once, as in autocommit mode: a cursor would end with the
			// commit.
			statement.setFetchSize(0);
			Object result = call(statement, method, args);
			this.check.check(this.target);
			this.target.commit();
			this.target.setAutoCommit(true);
			return result;
		}
		catch (Throwable ex) {
			rollback(ex);
			throw ex;
		}
	}

	/**
	 * Only what was rolled back may be switched to autocommit, as that would commit it.
	 */
	private void rollback(Throwable cause) {
		try {
			this.target.rollback();
			this.target.setAutoCommit(true);
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

	private static @Nullable Object call(Object target, Method method, Object @Nullable [] args) throws Throwable {
		try {
			return method.invoke(target, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static @Nullable Object first(Object @Nullable [] args) {
		return (args != null && args.length > 0) ? args[0] : null;
	}

	private static Object proxy(InvocationHandler handler, Class<?> type) {
		return Proxy.newProxyInstance(FencingConnection.class.getClassLoader(), new Class<?>[] { type }, handler);
	}

}
