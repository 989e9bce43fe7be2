package io.leaderstarter;

/**
 * Published on the member that no longer leads a role. Each
 * {@link LeadershipGrantedEvent} is followed by exactly one of these for the same term,
 * unless the process dies.
 *
 * @param leadership the term that ended
 * @param reason why it ended
 * @since 0.1.0
 */
public record LeadershipRevokedEvent(Leadership leadership, RevocationReason reason) {
}
