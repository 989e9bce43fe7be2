package io.leaderstarter.autoconfigure;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Matches if a property names servers. A blank one, as from a placeholder whose variable
 * is not set, names none.
 */
abstract class OnServers extends SpringBootCondition {

	private final String property;

	OnServers(String property) {
		this.property = property;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Property " + this.property);
		return areConfigured(this.property, context.getEnvironment())
				? ConditionOutcome.match(message.because("names servers"))
				: ConditionOutcome.noMatch(message.because("names no servers"));
	}

	/**
	 * Return whether a property names servers.
	 */
	static boolean areConfigured(String property, Environment environment) {
		return Binder.get(environment)
			.bind(property, Bindable.listOf(String.class))
			.orElseGet(List::of)
			.stream()
			.anyMatch(StringUtils::hasText);
	}

}
