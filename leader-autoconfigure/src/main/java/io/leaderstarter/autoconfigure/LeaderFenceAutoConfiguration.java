package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Fallback;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.FenceBlockedEvent;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.LastRuns;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.FenceGate;
import io.leaderstarter.fencing.FenceListener;
import io.leaderstarter.fencing.FenceSettings;
import io.leaderstarter.fencing.FencedLastRuns;
import io.leaderstarter.fencing.FencedTransactions;
import io.leaderstarter.fencing.Fences;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for fences in the application's
 * databases.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration" })
@ConditionalOnClass({ DataSource.class, DataSourceBuilder.class, DataSourceUtils.class,
		ConfigurableTransactionManager.class })
@ConditionalOnBean({ DataSource.class, DefaultLeaderElections.class })
@ConditionalOnProperty(name = "leader.fence.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ LeaderFenceProperties.class, LeaderSchemaProperties.class, LeaderProperties.class })
public final class LeaderFenceAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Fences leaderFences(LeaderFenceProperties properties, LeaderSchemaProperties schema, LeaderProperties leader,
			RoleProperties roles, LeaseTiming timing, Environment environment, ListableBeanFactory beanFactory) {
		FenceSettings shared = properties.toSettings(LeaderAutoConfiguration.namespace(leader, environment),
				timing.ttl(), schema.toSettings());
		// Epochs of a store that only this process knows must not raise the fences of
		// members that share one.
		FenceSettings settings = LeaseStoreSelector.isLocal(leader.backend()) ? shared.alone() : shared;
		FencedDataSources found = new FencedDataSources(beanFactory);
		Set<String> fenced = properties.dataSources();
		List<DataSource> leftOut = (fenced != null) ? found.choose(fenced) : List.of();
		roles.forEach((role, its) -> {
			if (its.fences() != null) {
				found.check("leader.roles." + role + ".fences", its.fences());
			}
		});
		List<Fence> fences = new ArrayList<>();
		found.byName()
			.forEach((name, dataSource) -> fences.add(new Fence(name, dataSource,
					DedicatedConnections.derive(dataSource), settings, (role) -> isFenced(roles.find(role), name))));
		return new Fences(fences, properties.required(), leftOut);
	}

	private static boolean isFenced(LeaderProperties.Role role, String database) {
		Set<String> chosen = role.fences();
		return chosen == null || chosen.contains(database);
	}

	/**
	 * Events are queued, as a listener that hangs must not block one of the few threads
	 * that raise fences. The elections are resolved late, as they need the gate.
	 */
	@Bean
	@ConditionalOnMissingBean(TermGate.class)
	FenceGate leaderFenceGate(Fences fences, LeaderFenceProperties properties,
			ObjectProvider<DefaultLeaderElections> elections, ApplicationEventPublisher publisher,
			FencedTransactionManagers managers) {
		// No term begins without the gate, so all managers have their listener before
		// that.
		managers.attachToAll();
		Supplier<Consumer<FenceBlockedEvent>> queued = SingletonSupplier
			.of(() -> elections.getObject().queued(publisher::publishEvent));
		FenceGate gate = new FenceGate(fences, properties.guardedTables(), () -> storeId(elections.getObject()),
				(event) -> queued.get().accept(event));
		fences.all().forEach((fence) -> fence.addListener(new RefusedTerms(gate, elections)));
		return gate;
	}

	private static String storeId(DefaultLeaderElections elections) {
		return Objects.requireNonNull(elections.store(), "The elections were not started").storeId();
	}

	@Bean
	@ConditionalOnMissingBean(LastRuns.class)
	FencedLastRuns leaderLastRuns(Fences fences) {
		return new FencedLastRuns(fences);
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static FencedTransactions fencedTransactions(ObjectProvider<Fences> fences) {
		return new FencedTransactions(SingletonSupplier.of(fences::getObject));
	}

	@Bean
	static FencedTransactionManagers fencedTransactionManagers(ObjectProvider<FencedTransactions> transactions,
			ConfigurableListableBeanFactory beanFactory) {
		return new FencedTransactionManagers(transactions, beanFactory);
	}

	/**
	 * A fallback, so that whoever injects a {@code JdbcTemplate} still gets the plain
	 * one.
	 */
	@Bean
	@Fallback
	@ConditionalOnMissingBean(FencedJdbcTemplate.class)
	@ConditionalOnSingleCandidate(JdbcTemplate.class)
	FencedJdbcTemplate fencedJdbcTemplate(JdbcTemplate jdbcTemplate, ObjectProvider<Fences> fences) {
		return new FencedJdbcTemplate(jdbcTemplate, SingletonSupplier.of(fences::getObject));
	}

	/**
	 * Fences statements that commit by themselves, such as those of a plain
	 * {@code JdbcTemplate} outside of a transaction, or jOOQ's own transactions.
	 */
	@Bean
	@ConditionalOnProperty("leader.fence.wrap-data-sources")
	static FencingDataSourceWrapper fencingDataSourceWrapper(ObjectProvider<Fences> fences,
			ConfigurableListableBeanFactory beanFactory, Environment environment) {
		return new FencingDataSourceWrapper(SingletonSupplier.of(fences::getObject), beanFactory, environment);
	}

	/**
	 * Ends a term whose write was refused. Not by a fence that is not required and was
	 * not raised yet: there the term is valid all the same.
	 */
	private record RefusedTerms(FenceGate gate,
			ObjectProvider<DefaultLeaderElections> elections) implements FenceListener {

		@Override
		public void onRefusal(String database, Leadership leadership, Refuser by) {
			if (by == Refuser.FENCE && this.gate.opened(leadership).contains(database)) {
				this.elections.getObject()
					.find(leadership.role())
					.ifPresent((election) -> election.refusedByFence(leadership));
			}
		}

	}

}
