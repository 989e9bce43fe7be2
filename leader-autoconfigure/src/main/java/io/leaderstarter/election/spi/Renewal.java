package io.leaderstarter.election.spi;

import java.util.Set;

/**
 * The answer to a renewal. It judges the leases that were asked about, and no others.
 *
 * @param renewed those that were renewed; the others that were asked about are lost
 * @param countedFrom the moment that the new time is counted from, never later than when
 * the renewal was sent
 * @since 0.1.0
 */
public record Renewal(Set<LeaseKey> renewed, Moment countedFrom) {
}
