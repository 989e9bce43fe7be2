package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * Whose leases a store keeps.
 *
 * @param namespace keeps applications apart in one store
 * @param member id of this member
 * @param ttl the time that a renewal gives
 * @since 0.1.0
 */
public record StoreIdentity(String namespace, String member, Duration ttl) {
}
