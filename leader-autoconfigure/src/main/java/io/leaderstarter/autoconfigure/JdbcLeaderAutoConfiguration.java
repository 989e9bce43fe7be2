package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases in a database.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({ DataSource.class, DataSourceBuilder.class, SimpleDriverDataSource.class })
@Conditional(JdbcLeaderAutoConfiguration.OnAnyDataSource.class)
@EnableConfigurationProperties({ LeaderJdbcProperties.class, LeaderSchemaProperties.class })
public final class JdbcLeaderAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JdbcLeaseStoreFactory jdbcLeaseStoreFactory(LeaderJdbcProperties properties, LeaderSchemaProperties schema,
			@LeaderDataSource ObjectProvider<DataSource> leaderDataSource, ObjectProvider<DataSource> dataSource) {
		// Resolved once, though a store is created for every start.
		return new JdbcLeaseStoreFactory(SingletonSupplier.of(() -> {
			DataSource own = leaderDataSource.getIfUnique();
			return (own != null) ? own : DedicatedConnections.derive(only(dataSource));
		}), properties.toLeaseProperties(schema));
	}

	private static DataSource only(ObjectProvider<DataSource> dataSource) {
		DataSource only = dataSource.getIfUnique();
		if (only == null) {
			throw new LeaderConfigurationException(
					"There are several DataSource beans, and none is marked for leader election",
					List.of("Mark one of them @LeaderDataSource, or @Primary.",
							"Or set leader.backend to another backend."));
		}
		return only;
	}

	/**
	 * Matches if there is a {@code DataSource} of any kind: a {@link LeaderDataSource}
	 * should be no default candidate.
	 */
	static final class OnAnyDataSource extends OnBackend {

		OnAnyDataSource() {
			super(null, "javax.sql.DataSource");
		}

		@Override
		boolean isCandidate(BeanDefinition definition) {
			return true;
		}

	}

}
