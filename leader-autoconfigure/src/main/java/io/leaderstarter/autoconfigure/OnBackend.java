package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Matches if a property names the servers of a backend, or if there is a bean that knows
 * them.
 */
abstract class OnBackend extends SpringBootCondition implements ConfigurationCondition {

	private final @Nullable String property;

	private final List<String> types;

	/**
	 * Create a new condition.
	 * @param property the property that names servers, {@code null} if there is none
	 * @param types types of beans, by name, as the classes are optional
	 */
	OnBackend(@Nullable String property, String... types) {
		this.property = property;
		this.types = List.of(types);
	}

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Servers");
		if (this.property != null && areConfigured(this.property, context.getEnvironment())) {
			return ConditionOutcome.match(message.found("property").items(this.property));
		}
		ConfigurableListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
		List<String> names = this.types.stream()
			.map((type) -> ClassUtils.resolveClassName(type, context.getClassLoader()))
			.flatMap((type) -> Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)))
			.filter((name) -> !beans.containsBeanDefinition(name) || isCandidate(beans.getBeanDefinition(name)))
			.toList();
		List<String> wanted = Stream.concat(Stream.ofNullable(this.property), this.types.stream()).toList();
		return names.isEmpty() ? ConditionOutcome.noMatch(message.didNotFind("any property or bean").items(wanted))
				: ConditionOutcome.match(message.found("bean", "beans").items(names));
	}

	/** Return whether a bean counts: not one that is injected nowhere by its type. */
	boolean isCandidate(BeanDefinition definition) {
		return definition.isAutowireCandidate()
				&& (!(definition instanceof AbstractBeanDefinition known) || known.isDefaultCandidate());
	}

	/**
	 * Return whether a property names servers. A blank one, as from a placeholder whose
	 * variable is not set, names none.
	 */
	static boolean areConfigured(String property, Environment environment) {
		return Binder.get(environment)
			.bind(property, Bindable.listOf(String.class))
			.orElseGet(List::of)
			.stream()
			.anyMatch(StringUtils::hasText);
	}

}
