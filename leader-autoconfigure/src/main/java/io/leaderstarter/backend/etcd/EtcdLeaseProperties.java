package io.leaderstarter.backend.etcd;

import java.time.Duration;

/**
 * How leases are kept in etcd.
 *
 * @param keyPrefix prefix of all keys, without a slash at its end
 * @param connectionTimeout how long the start waits for an answer
 * @since 0.1.0
 */
public record EtcdLeaseProperties(String keyPrefix, Duration connectionTimeout) {

	/**
	 * Check the prefix.
	 * @throws IllegalArgumentException if keys cannot begin with it
	 */
	public EtcdLeaseProperties {
		if (keyPrefix.isBlank() || keyPrefix.endsWith("/") || keyPrefix.chars().anyMatch(Character::isISOControl)) {
			throw new IllegalArgumentException(
					"it must be a prefix such as /leader, without a slash at its end and without control characters");
		}
	}
}
