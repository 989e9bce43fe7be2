package io.leaderstarter.backend.jdbc.faults;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections whose prepared statements are counted, and fail as if the database had
 * rolled them back because of others.
 */
final class FailingDataSource extends DelegatingDataSource {

	private final AtomicInteger statements = new AtomicInteger();

	private volatile @Nullable String state;

	private volatile boolean afterwards;

	FailingDataSource(DataSource target) {
		super(target);
	}

	/** Every statement fails with the state, and has done nothing. */
	void fail(String state) {
		this.afterwards = false;
		this.state = state;
	}

	/** Every statement fails with the state, and has done its work all the same. */
	void failAfterwards(String state) {
		this.afterwards = true;
		this.state = state;
	}

	void heal() {
		this.state = null;
	}

	/** How many statements were executed. */
	int statements() {
		return this.statements.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return proxy(Connection.class, connection, (statement) -> (statement instanceof PreparedStatement prepared)
				? proxy(PreparedStatement.class, prepared, (result) -> result) : statement);
	}

	private <T> T proxy(Class<T> type, T target, UnaryOperator<Object> wrapper) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				boolean executes = type == PreparedStatement.class && method.getName().startsWith("execute");
				String failure = executes ? this.state : null;
				if (executes) {
					this.statements.incrementAndGet();
				}
				if (failure != null && !this.afterwards) {
					throw new SQLException("could not serialize access (by the test)", failure);
				}
				try {
					Object result = method.invoke(target, args);
					if (failure != null) {
						throw new SQLException("deadlock found (by the test)", failure);
					}
					return (result != null) ? wrapper.apply(result) : null;
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

}
