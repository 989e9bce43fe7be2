package io.leaderstarter.metrics;

/**
 * The convention that is used if there is no other: all that the interface says by
 * itself.
 */
final class DefaultLeaderCallObservationConvention implements LeaderCallObservationConvention {

}
