package io.leaderstarter.election.spi;

/**
 * Names one tenure in a store. All three parts must agree wherever it is looked up.
 *
 * @param role the role
 * @param epoch number of the term
 * @param tenure random id of the term
 * @since 0.1.0
 */
public record LeaseKey(String role, long epoch, String tenure) {
}
