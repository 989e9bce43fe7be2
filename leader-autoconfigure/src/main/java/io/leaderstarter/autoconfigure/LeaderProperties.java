package io.leaderstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leader election.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader")
public class LeaderProperties {

	private final MemberProperties member = new MemberProperties();

	public MemberProperties getMember() {
		return this.member;
	}

	/**
	 * This process as others see it.
	 */
	public static class MemberProperties {

		/**
		 * Beginning of this member's id; a random part follows. Defaults to the host's
		 * name.
		 */
		private @Nullable String idPrefix;

		/**
		 * What people should see of this member, such as its URL or version.
		 */
		private Map<String, String> metadata = new LinkedHashMap<>();

		public @Nullable String getIdPrefix() {
			return this.idPrefix;
		}

		public void setIdPrefix(@Nullable String idPrefix) {
			this.idPrefix = idPrefix;
		}

		public Map<String, String> getMetadata() {
			return this.metadata;
		}

		public void setMetadata(Map<String, String> metadata) {
			this.metadata = metadata;
		}

	}

}
