package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases in a database.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({ DataSource.class, DataSourceBuilder.class, SimpleDriverDataSource.class })
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(LeaderJdbcProperties.class)
public final class JdbcLeaderAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JdbcLeaseStoreFactory jdbcLeaseStoreFactory(LeaderJdbcProperties properties,
			@LeaderDataSource ObjectProvider<DataSource> leaderDataSource, ObjectProvider<DataSource> dataSource) {
		return new JdbcLeaseStoreFactory(() -> {
			DataSource own = leaderDataSource.getIfUnique();
			return (own != null) ? own : OwnConnections.derive(only(dataSource));
		}, properties.toLeaseProperties());
	}

	private static DataSource only(ObjectProvider<DataSource> dataSource) {
		DataSource only = dataSource.getIfUnique();
		if (only == null) {
			throw new LeaderConfigurationException(
					"There are several DataSource beans, and none is for leader election",
					List.of("Mark one of them @LeaderDataSource, or @Primary.",
							"Or set leader.backend to another backend."));
		}
		return only;
	}

}
