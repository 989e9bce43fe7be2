package io.leaderstarter.autoconfigure;

import java.util.Objects;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
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
			SimpleDriverDataSource own = DataSourceBuilder.derivedFrom(dataSource)
				.type(SimpleDriverDataSource.class)
				.build();
			// A pool may know its database by other means than a URL.
			boolean complete = own.getUrl() != null && own.getDriver() != null;
			if (complete && (!HIKARI_PRESENT || HikariSettings.copy(dataSource, own))) {
				return own;
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

		private static void setIfPresent(@Nullable String value, Consumer<String> setter) {
			if (value != null) {
				setter.accept(value);
			}
		}

	}

}
