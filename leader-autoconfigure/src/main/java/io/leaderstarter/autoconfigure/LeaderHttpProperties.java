package io.leaderstarter.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for HTTP requests of calls that only leaders make.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.http")
public class LeaderHttpProperties {

	/**
	 * Whether to send the epoch of a running call with its HTTP requests, to whomever
	 * they go.
	 */
	private boolean sendEpoch;

	public boolean isSendEpoch() {
		return this.sendEpoch;
	}

	public void setSendEpoch(boolean sendEpoch) {
		this.sendEpoch = sendEpoch;
	}

}
