package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * What is known on this member about one role. It is the last known state and asks
 * nobody, so it is there at once even if the store is away.
 *
 * @param role the role
 * @param state where this member stands: {@code FOLLOWER}, {@code ACQUIRED},
 * {@code LEADER}, {@code LEAVING}, {@code LET_GO}, {@code RELEASING} or {@code LOST}
 * @param leader id of the member that led when the store was last seen, {@code null} if
 * nobody did
 * @param epoch the last known epoch, 0 if there was none
 * @param own the term of this member, {@code null} if it has none
 * @param timeLeft how long the own term lasts without a renewal, {@code null} if there is
 * no own term
 * @param age the time since the store was seen, {@code null} if it was not yet, and zero
 * for the own term
 * @since 0.1.0
 */
public record RoleStatus(String role, String state, @Nullable String leader, long epoch, @Nullable Leadership own,
		@Nullable Duration timeLeft, @Nullable Duration age) {
}
