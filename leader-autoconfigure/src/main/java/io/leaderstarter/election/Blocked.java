package io.leaderstarter.election;

import java.time.Duration;

/**
 * Why this member cannot begin a term that it could have.
 *
 * @param reason what keeps it from that, such as a fence that cannot be raised
 * @param lasts for how long that has been so
 * @since 0.1.0
 */
public record Blocked(String reason, Duration lasts) {
}
