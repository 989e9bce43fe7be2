package io.leaderstarter.election;

/**
 * What happened to a role on this member since the process started.
 *
 * @param granted terms that began
 * @param revoked terms that ended after they had begun
 * @param executed calls that ran under a term, and have ended
 * @param skipped calls that did not run, as this member does not lead or the last run was
 * too recent
 * @since 0.1.0
 */
public record RoleCounts(long granted, long revoked, long executed, long skipped) {
}
