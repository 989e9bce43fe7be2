package io.leaderstarter.election.membership;

import io.leaderstarter.Member;

/**
 * A member that stands for a role.
 *
 * @param member who stands. What others say of themselves may be anything
 * @param priority of two candidates the one with the higher priority comes first
 * @since 0.1.0
 */
public record Candidate(Member member, int priority) {
}
