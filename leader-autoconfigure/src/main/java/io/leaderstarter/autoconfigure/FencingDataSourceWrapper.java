package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.jdbc.FencingDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Wraps each {@code DataSource} bean that is fenced in a {@link FencingDataSource},
 * unless it wraps one that is wrapped already.
 * <p>
 * Other post-processors may need a {@code DataSource} before this one is registered. So
 * there is another one, which is no bean and replaces it until then. The same one must
 * not be registered twice: Spring would wait for one more, and warn of every bean that is
 * created meanwhile. A {@code DataSource} that cannot be wrapped, because others have it
 * already, is refused.
 */
final class FencingDataSourceWrapper
		implements BeanFactoryPostProcessor, BeanPostProcessor, SmartInitializingSingleton {

	private static final String PROPERTY = "leader.fence.wrap-data-sources";

	private final Supplier<Fences> fences;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	FencingDataSourceWrapper(Supplier<Fences> fences, ConfigurableListableBeanFactory beanFactory,
			Environment environment) {
		this.fences = fences;
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return isRegistered() ? bean
						: FencingDataSourceWrapper.this.postProcessAfterInitialization(bean, beanName);
			}

		});
	}

	private boolean isRegistered() {
		return this.beanFactory instanceof AbstractBeanFactory factory
				&& factory.getBeanPostProcessors().contains(this);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof DataSource dataSource) {
			this.seen.add(beanName);
			if (!isWrapped(dataSource) && isFenced(this.beanFactory, beanName)) {
				return new FencingDataSource(dataSource, this.fences, false);
			}
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (ListableBeanFactory factory : FencedDataSources.withAncestors(this.beanFactory)) {
			if (factory != this.beanFactory && factory.getBeanNamesForType(FencingDataSourceWrapper.class).length > 0) {
				// The parent has refused those that it could not wrap.
				return;
			}
			for (String name : factory.getBeanNamesForType(DataSource.class, true, false)) {
				boolean there = (factory == this.beanFactory)
						? this.beanFactory.containsSingleton(name) && !this.seen.contains(name)
						: factory.isSingleton(name);
				if (there && isFenced(factory, name) && !isWrapped(factory.getBean(name, DataSource.class))) {
					throw notWrapped(name, factory == this.beanFactory);
				}
			}
		}
	}

	private static LeaderConfigurationException notWrapped(String name, boolean own) {
		String reason = own ? "it was created before any bean could be wrapped" : "it belongs to a parent context";
		return new LeaderConfigurationException(
				"%s is true, but the DataSource '%s' cannot be wrapped, as %s. Statements that commit by themselves there would not be fenced"
					.formatted(PROPERTY, name, reason),
				List.of(own ? "Inject an ObjectProvider of '%s' where it is needed so early.".formatted(name)
						: "Declare the DataSource in the context that uses leader election.",
						"Leave it out of leader.fence.data-sources.",
						"Remove %s, and use transactions or FencedJdbcTemplate.".formatted(PROPERTY)));
	}

	private static boolean isWrapped(@Nullable DataSource dataSource) {
		return dataSource instanceof FencingDataSource || (dataSource instanceof DelegatingDataSource delegating
				&& isWrapped(delegating.getTargetDataSource()));
	}

	/**
	 * The properties are read from the environment: their bean would be created too early
	 * here, before it can be post-processed.
	 */
	private boolean isFenced(ListableBeanFactory factory, String beanName) {
		Set<String> chosen = Objects.requireNonNullElse(Binder.get(this.environment)
			.bind("leader.fence.data-sources", Bindable.setOf(String.class))
			.orElse(Set.of()), Set.of());
		boolean named = chosen.isEmpty()
				|| chosen.stream().anyMatch((name) -> name.equals(beanName) || name.startsWith(beanName + "."));
		return named && (!factory.containsBean(beanName)
				|| factory.findAnnotationOnBean(beanName, LeaderDataSource.class) == null);
	}

}
