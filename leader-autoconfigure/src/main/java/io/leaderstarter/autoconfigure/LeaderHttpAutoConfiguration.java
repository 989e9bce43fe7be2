package io.leaderstarter.autoconfigure;

import io.leaderstarter.http.LeaderEpochInterceptor;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LeaderEpochInterceptor}
 * in all clients that Boot's builders create.
 *
 * @since 0.1.0
 */
@AutoConfiguration(beforeName = { "org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration",
		"org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration" })
@ConditionalOnClass({ ClientHttpRequestInterceptor.class, RestClientCustomizer.class, RestTemplateCustomizer.class })
@ConditionalOnBooleanProperty("leader.http.send-epoch")
public final class LeaderHttpAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaderEpochInterceptor leaderEpochInterceptor() {
		return new LeaderEpochInterceptor();
	}

	@Bean
	RestClientCustomizer leaderEpochRestClientCustomizer(LeaderEpochInterceptor interceptor) {
		return (builder) -> builder.requestInterceptor(interceptor);
	}

	@Bean
	RestTemplateCustomizer leaderEpochRestTemplateCustomizer(LeaderEpochInterceptor interceptor) {
		return (template) -> template.getInterceptors().add(interceptor);
	}

}
