package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * {@link FailureAnalyzer} for missing beans of leader election. Spring Boot would advise
 * to define them, which is wrong. It comes before that of Spring Boot.
 */
@Order(-1)
final class MissingBeanFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private static final String ELECTIONS = "io.leaderstarter.LeaderElections";

	/** Types of beans, and whether these need the fence. */
	private static final Map<String, Boolean> FENCING = Map.of(ELECTIONS, false,
			"io.leaderstarter.election.DefaultLeaderElections", false, "io.leaderstarter.fencing.Fences", true,
			"io.leaderstarter.fencing.jdbc.FencedJdbcTemplate", true);

	private final BeanFactory beanFactory;

	private final Environment environment;

	MissingBeanFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		Class<?> type = (cause.getResolvableType() != null) ? cause.getResolvableType().resolve() : null;
		Boolean fencing = (type != null) ? FENCING.get(type.getName()) : null;
		if (type == null || fencing == null || cause instanceof NoUniqueBeanDefinitionException) {
			return null;
		}
		Reason reason = fencing ? withoutFence() : null;
		if (reason == null && !exists(ELECTIONS)) {
			reason = new Reason("there are no elections",
					"Do not exclude LeaderAutoConfiguration, or inject ObjectProvider<%s> where leader election may be off."
						.formatted(type.getSimpleName()));
		}
		return (reason == null) ? null : new FailureAnalysis(
				"A bean of type %s is needed, but %s".formatted(type.getName(), reason.text()), reason.advice(), cause);
	}

	private @Nullable Reason withoutFence() {
		if ("false".equalsIgnoreCase(this.environment.getProperty("leader.fence.enabled"))) {
			return new Reason("the fence is off (leader.fence.enabled=false)",
					"Remove leader.fence.enabled, or inject JdbcTemplate where nothing is to be fenced.");
		}
		if (!exists("javax.sql.DataSource")) {
			return new Reason("there is no DataSource whose transactions could be fenced",
					"Add a DataSource, for example by spring-boot-starter-jdbc, a driver and spring.datasource.url.");
		}
		if (!exists(ELECTIONS)) {
			return null;
		}
		if (!exists("io.leaderstarter.fencing.Fences")) {
			return new Reason("there is no fence",
					"Do not exclude LeaderFenceAutoConfiguration, or inject JdbcTemplate where nothing is to be fenced.");
		}
		return withoutTemplate(names("org.springframework.jdbc.core.JdbcTemplate"));
	}

	private static Reason withoutTemplate(List<String> plain) {
		return switch (plain.size()) {
			case 0 -> new Reason("there is no JdbcTemplate whose settings it would have",
					"Do not exclude JdbcTemplateAutoConfiguration, or add a JdbcTemplate bean.");
			case 1 -> new Reason("LeaderFenceAutoConfiguration is excluded, or comes before the JdbcTemplate",
					"Do not exclude LeaderFenceAutoConfiguration, or declare a FencedJdbcTemplate bean.");
			default -> new Reason("none of the JdbcTemplate beans %s is primary".formatted(plain),
					"Mark one of them @Primary, or declare a FencedJdbcTemplate bean for each that is to be fenced.");
		};
	}

	private boolean exists(String type) {
		return !names(type).isEmpty();
	}

	private List<String> names(String type) {
		ClassLoader classLoader = getClass().getClassLoader();
		if (this.beanFactory instanceof ListableBeanFactory listable && ClassUtils.isPresent(type, classLoader)) {
			return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable,
					ClassUtils.resolveClassName(type, classLoader), true, false));
		}
		return List.of();
	}

	private record Reason(String text, String advice) {
	}

}
