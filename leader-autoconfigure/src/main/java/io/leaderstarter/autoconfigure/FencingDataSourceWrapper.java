package io.leaderstarter.autoconfigure;

import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.FencingDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Puts a {@link FencingDataSource} around each {@code DataSource} bean that is fenced,
 * unless it is a wrapper of one that has one already.
 */
final class FencingDataSourceWrapper implements BeanPostProcessor {

	private final Supplier<Fences> fences;

	private final ListableBeanFactory beanFactory;

	private final Environment environment;

	FencingDataSourceWrapper(Supplier<Fences> fences, ListableBeanFactory beanFactory, Environment environment) {
		this.fences = fences;
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof DataSource dataSource && !isWrapped(dataSource) && isFenced(beanName)) {
			return new FencingDataSource(dataSource, this.fences, false);
		}
		return bean;
	}

	private static boolean isWrapped(@Nullable DataSource dataSource) {
		return dataSource instanceof FencingDataSource || (dataSource instanceof DelegatingDataSource delegating
				&& isWrapped(delegating.getTargetDataSource()));
	}

	/**
	 * The properties are read from where they come from: their bean would be made too
	 * early here, before others could have a say in it.
	 */
	private boolean isFenced(String beanName) {
		Set<String> chosen = Objects.requireNonNullElse(Binder.get(this.environment)
			.bind("leader.fence.data-sources", Bindable.setOf(String.class))
			.orElse(Set.of()), Set.of());
		boolean named = chosen.isEmpty()
				|| chosen.stream().anyMatch((name) -> name.equals(beanName) || name.startsWith(beanName + "."));
		return named && (!this.beanFactory.containsBean(beanName)
				|| this.beanFactory.findAnnotationOnBean(beanName, LeaderDataSource.class) == null);
	}

}
