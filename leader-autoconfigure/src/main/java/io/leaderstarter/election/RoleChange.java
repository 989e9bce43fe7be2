package io.leaderstarter.election;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * That this member came to stand elsewhere in the election of a role.
 *
 * @param at when, by the wall clock of this member
 * @param from where it stood, see {@link RoleStatus#state()}
 * @param to where it stands since then
 * @param epoch the epoch of its term
 * @param reason why, {@code null} if that is how it goes
 * @since 0.1.0
 */
public record RoleChange(Instant at, String from, String to, long epoch, @Nullable String reason) {
}
