package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;

/**
 * The last renewal that was answered. One request renews all terms of this member.
 *
 * @param at when it was answered, by the wall clock of this member
 * @param took how long that took
 * @since 0.1.0
 */
public record LastRenewal(Instant at, Duration took) {
}
