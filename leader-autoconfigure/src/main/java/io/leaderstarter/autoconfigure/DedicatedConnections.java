package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;

/**
 * Derives dedicated connections from the application's {@code DataSource}, outside of its
 * pool: an exhausted pool must not keep a leader from renewing.
 */
final class DedicatedConnections {

	private static final Log logger = LogFactory.getLog(DedicatedConnections.class);

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			DedicatedConnections.class.getClassLoader());

	private DedicatedConnections() {
	}

	static DataSource derive(DataSource dataSource) {
		try {
			SimpleDriverDataSource derived = derived(dataSource);
			Driver driver = derived.getDriver();
			String url = derived.getUrl();
			// A pool may know its database by other means than a URL.
			if (driver != null && url != null) {
				SimpleDriverDataSource own = new CurrentUserDataSource(dataSource, driver, url);
				if (!HIKARI_PRESENT || HikariSettings.copy(dataSource, own)) {
					return own;
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("No dedicated connections can be derived from the DataSource", ex);
		}
		logger.warn("Leader election uses connections of the application's pool, as no dedicated ones can be derived "
				+ "from it. If the pool is exhausted, terms may end early. Declare a @LeaderDataSource bean to avoid that");
		return dataSource;
	}

	private static SimpleDriverDataSource derived(DataSource dataSource) {
		return DataSourceBuilder.derivedFrom(dataSource).type(SimpleDriverDataSource.class).build();
	}

	/**
	 * Connects with the user and the password that the pool has at that moment: they may
	 * have been rotated since the application started.
	 */
	private static final class CurrentUserDataSource extends SimpleDriverDataSource {

		private final DataSource pool;

		private CurrentUserDataSource(DataSource pool, Driver driver, String url) {
			super(driver, url);
			this.pool = pool;
		}

		@Override
		public Connection getConnection() throws SQLException {
			User user = HIKARI_PRESENT ? HikariSettings.user(this.pool) : null;
			if (user == null) {
				SimpleDriverDataSource current = derived(this.pool);
				user = new User(current.getUsername(), current.getPassword());
			}
			return getConnectionFromDriver(user.name(), user.password());
		}

	}

	private record User(@Nullable String name, @Nullable String password) {
	}

	/**
	 * Settings of connections besides the URL and the user. A separate class, as Hikari
	 * is optional.
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
			PropertyMapper map = PropertyMapper.get();
			map.from(hikari::getSchema).to(to::setSchema);
			map.from(hikari::getCatalog).to(to::setCatalog);
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
			Credentials current = (provider != null) ? provider.getCredentials() : hikari.getCredentials();
			return new User(current.getUsername(), current.getPassword());
		}

	}

}
