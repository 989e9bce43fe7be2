package io.leaderstarter.testsupport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Writes down every statement that its connections prepare.
 */
public final class CountingDataSource extends DelegatingDataSource {

	private final List<String> statements = new CopyOnWriteArrayList<>();

	/**
	 * Makes the data source.
	 * @param target where the connections come from
	 */
	public CountingDataSource(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						this.statements.add((String) arguments[0]);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * Counts statements.
	 * @param beginning how they begin
	 * @return how many were prepared so far
	 */
	public int count(String beginning) {
		return (int) this.statements.stream().filter((sql) -> sql.startsWith(beginning)).count();
	}

	/**
	 * Counts all statements.
	 * @return how many were prepared so far
	 */
	public int count() {
		return this.statements.size();
	}

	/**
	 * Returns all statements.
	 * @return those that were prepared so far
	 */
	public List<String> statements() {
		return List.copyOf(this.statements);
	}

}
