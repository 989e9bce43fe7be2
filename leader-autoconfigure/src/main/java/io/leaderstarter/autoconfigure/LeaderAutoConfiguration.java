package io.leaderstarter.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.leaderstarter.Member;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leader election.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Member leaderMember(LeaderProperties properties) {
		String idPrefix = properties.getMember().getIdPrefix();
		return Member.start((idPrefix != null) ? idPrefix : hostName(), properties.getMember().getMetadata());
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown-host";
		}
	}

}
