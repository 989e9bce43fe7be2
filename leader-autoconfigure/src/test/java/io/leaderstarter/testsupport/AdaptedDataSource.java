package io.leaderstarter.testsupport;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Does something to every connection before it is handed out, as pools do by their
 * settings.
 */
public final class AdaptedDataSource extends DelegatingDataSource {

	private final Adapter adapter;

	/**
	 * Makes the data source.
	 * @param target where the connections come from
	 * @param adapter what is done to each
	 */
	public AdaptedDataSource(DataSource target, Adapter adapter) {
		super(target);
		this.adapter = adapter;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		this.adapter.adapt(connection);
		return connection;
	}

	/**
	 * What is done to a connection.
	 */
	@FunctionalInterface
	public interface Adapter {

		/**
		 * Does it.
		 * @param connection the new connection
		 * @throws SQLException if it cannot be done
		 */
		void adapt(Connection connection) throws SQLException;

	}

}
