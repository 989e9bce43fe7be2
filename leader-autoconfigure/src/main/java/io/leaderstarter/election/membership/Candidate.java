package io.leaderstarter.election.membership;

import io.leaderstarter.Member;

/**
 * A member that competes for a role.
 *
 * @param member the candidate. What others announce of themselves may be anything
 * @param priority of two candidates the one with the higher priority comes first
 * @since 0.1.0
 */
public record Candidate(Member member, int priority) {
}
