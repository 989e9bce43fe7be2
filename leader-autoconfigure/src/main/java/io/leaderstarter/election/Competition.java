package io.leaderstarter.election;

import java.util.LinkedHashMap;
import java.util.Map;

import io.leaderstarter.Member;
import io.leaderstarter.election.membership.MemberCard;

/**
 * Which roles this member competes for, from one start to the next stop.
 */
final class Competition {

	private final Member member;

	private final ElectionContext context;

	private volatile boolean begun;

	private volatile boolean over;

	Competition(Member member, ElectionContext context) {
		this.member = member;
		this.context = context;
	}

	Member member() {
		return this.member;
	}

	void begin() {
		this.begun = true;
	}

	/** No term may begin any more. */
	void end() {
		this.over = true;
	}

	boolean hasBegun() {
		return this.begun;
	}

	boolean isOver() {
		return this.over;
	}

	/** Whether this member competes for a role even if no thread waits for it. */
	boolean competesByItself(RoleElection election) {
		return this.begun && election.participation().isJoined();
	}

	boolean competesFor(RoleElection election) {
		return (competesByItself(election) || election.participation().isContended()) && !this.over
				&& election.isCandidate();
	}

	/** What this member announces of itself, as it is now. */
	MemberCard card() {
		Map<String, Integer> priorities = new LinkedHashMap<>();
		for (RoleElection election : this.context.roles().all()) {
			if (competesFor(election) && !election.isPaused()) {
				priorities.put(election.role(), this.context.settings().of(election.role()).priority());
			}
		}
		return MemberCard.of(this.member, priorities);
	}

}
