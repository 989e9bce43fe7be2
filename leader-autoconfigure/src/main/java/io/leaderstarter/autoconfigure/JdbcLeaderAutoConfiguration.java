package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
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
	 * Matches if there is a {@code DataSource} of any kind. The usual condition does not
	 * find one that is no default candidate, and a {@link LeaderDataSource} should be
	 * none.
	 */
	static final class OnAnyDataSource extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("DataSource");
			ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
			String[] names = (beanFactory != null)
					? BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class, true, false)
					: new String[0];
			return (names.length > 0) ? ConditionOutcome.match(message.found("bean", "beans").items((Object[]) names))
					: ConditionOutcome.noMatch(message.didNotFind("any bean").atAll());
		}

	}

}
