package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * One call of a store.
 *
 * @param sentAt read before anything was sent. What the store grants is counted from
 * here, because the store may have granted it at any time since.
 * @param timeout the call must have ended by then, with an answer or an exception
 * @since 0.1.0
 */
public record Attempt(Moment sentAt, Duration timeout) {
}
