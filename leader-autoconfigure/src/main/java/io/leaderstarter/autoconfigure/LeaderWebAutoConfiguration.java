package io.leaderstarter.autoconfigure;

import io.leaderstarter.http.NotLeaderAdvice;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the responses of web handlers on
 * members that do not lead.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderOnlyAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
public final class LeaderWebAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	NotLeaderAdvice notLeaderAdvice() {
		return new NotLeaderAdvice();
	}

}
