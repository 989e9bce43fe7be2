package io.leaderstarter.election;

/**
 * What happened to a role on this member since the process started.
 *
 * @param granted terms that began
 * @param revoked terms that ended after they had begun
 * @param executed calls that ran under a term
 * @param skipped calls that found that this member does not lead
 * @since 0.1.0
 */
public record RoleCounts(long granted, long revoked, long executed, long skipped) {
}
