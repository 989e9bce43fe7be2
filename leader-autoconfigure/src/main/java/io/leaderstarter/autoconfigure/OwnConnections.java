package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;

/**
 * Makes connections of our own out of the application's {@code DataSource}, past its
 * pool: a pool that the application has used up must not keep a leader from renewing.
 */
final class OwnConnections {

	private static final Log logger = LogFactory.getLog(OwnConnections.class);

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			OwnConnections.class.getClassLoader());

	private OwnConnections() {
	}

	static DataSource derive(DataSource dataSource) {
		try {
			SimpleDriverDataSource derived = derived(dataSource);
			Driver driver = derived.getDriver();
			String url = derived.getUrl();
			// A pool may know its database by other means than a URL.
			if (driver != null && url != null) {
				SimpleDriverDataSource own = new PresentUserDataSource(dataSource, driver, url);
				if (!HIKARI_PRESENT || HikariSettings.copy(dataSource, own)) {
					return own;
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("No connections of our own can be derived from the DataSource", ex);
		}
		logger
			.warn("Leader election borrows connections from the application's pool, as none of its own can be derived "
					+ "from it. If the pool is used up, terms may end early. A @LeaderDataSource bean avoids that");
		return dataSource;
	}

	private static SimpleDriverDataSource derived(DataSource dataSource) {
		return DataSourceBuilder.derivedFrom(dataSource).type(SimpleDriverDataSource.class).build();
	}

	/**
	 * Asks the pool for its user and password whenever it connects: they may have been
	 * rotated since the application started.
	 */
	private static final class PresentUserDataSource extends SimpleDriverDataSource {

		private final DataSource pool;

		private PresentUserDataSource(DataSource pool, Driver driver, String url) {
			super(driver, url);
			this.pool = pool;
		}

		@Override
		public Connection getConnection() throws SQLException {
			User user = HIKARI_PRESENT ? HikariSettings.user(this.pool) : null;
			if (user == null) {
				SimpleDriverDataSource present = derived(this.pool);
				user = new User(present.getUsername(), present.getPassword());
			}
			return getConnectionFromDriver(user.name(), user.password());
		}

	}

	private record User(@Nullable String name, @Nullable String password) {
	}

	/**
	 * What Hikari sets on connections besides the URL and the user. In a class of its
	 * own, as Hikari may not be there.
	 */
	private static final class HikariSettings {

		static boolean copy(DataSource from, SimpleDriverDataSource to) {
			HikariDataSource hikari = DataSourceUnwrapper.unwrap(from, HikariDataSource.class);
			if (hikari == null) {
				return true;
			}
			if (hikari.getConnectionInitSql() != null || hikari.getDataSource() != null) {
				return false;
			}
			to.setConnectionProperties(Objects.requireNonNull(hikari.getDataSourceProperties()));
			setIfPresent(hikari.getSchema(), to::setSchema);
			setIfPresent(hikari.getCatalog(), to::setCatalog);
			return true;
		}

		/**
		 * Return the user that the pool would connect with now, {@code null} if this is
		 * no such pool.
		 */
		static @Nullable User user(DataSource pool) {
			HikariDataSource hikari = DataSourceUnwrapper.unwrap(pool, HikariDataSource.class);
			if (hikari == null) {
				return null;
			}
			HikariCredentialsProvider provider = hikari.getCredentialsProvider();
			Credentials present = (provider != null) ? provider.getCredentials() : hikari.getCredentials();
			return new User(present.getUsername(), present.getPassword());
		}

		private static void setIfPresent(@Nullable String value, Consumer<String> setter) {
			if (value != null) {
				setter.accept(value);
			}
		}

	}

}
