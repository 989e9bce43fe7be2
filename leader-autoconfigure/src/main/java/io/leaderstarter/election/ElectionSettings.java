package io.leaderstarter.election;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * How a member takes part in elections.
 *
 * @param timing the times of a lease
 * @param drainTimeout how long the calls of a term may run on when the member leaves
 * @param candidate tells for which roles the member may stand
 * @since 0.1.0
 */
public record ElectionSettings(LeaseTiming timing, Duration drainTimeout, Predicate<String> candidate) {
}
