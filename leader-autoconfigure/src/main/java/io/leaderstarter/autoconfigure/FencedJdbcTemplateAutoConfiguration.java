package io.leaderstarter.autoconfigure;

import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link FencedJdbcTemplate}. It
 * comes after Boot's template and is a fallback, so that whoever injects a
 * {@code JdbcTemplate} still gets the plain one.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderFenceAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration")
@ConditionalOnClass(JdbcTemplate.class)
@ConditionalOnBean(Fences.class)
public final class FencedJdbcTemplateAutoConfiguration {

	@Bean
	@Fallback
	@ConditionalOnMissingBean(FencedJdbcTemplate.class)
	@ConditionalOnSingleCandidate(JdbcTemplate.class)
	FencedJdbcTemplate fencedJdbcTemplate(JdbcTemplate jdbcTemplate, ObjectProvider<Fences> fences) {
		return new FencedJdbcTemplate(jdbcTemplate, SingletonSupplier.of(fences::getObject));
	}

}
