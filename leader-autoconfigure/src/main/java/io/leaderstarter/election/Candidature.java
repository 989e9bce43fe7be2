package io.leaderstarter.election;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.leaderstarter.Member;
import io.leaderstarter.election.membership.MemberCard;

/**
 * Which roles this member stands for, from when it begins to stand until it stops.
 */
final class Candidature {

	private final Supplier<Member> member;

	private final ElectionSettings settings;

	private final Roles roles;

	private volatile boolean begun;

	private volatile boolean over;

	Candidature(Supplier<Member> member, ElectionSettings settings, Roles roles) {
		this.member = member;
		this.settings = settings;
		this.roles = roles;
	}

	String id() {
		return this.member.get().id();
	}

	/** It has not begun yet, also if it was over. */
	void reset() {
		this.begun = false;
		this.over = false;
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

	/** Whether the settings let this member stand for a role at all. */
	boolean isAllowed(String role) {
		return this.settings.candidate().test(role);
	}

	/** Whether this member stands for a role that nobody waits for. */
	boolean standsByItself(RoleElection election) {
		return this.begun && election.participation().isJoined();
	}

	boolean standsFor(RoleElection election) {
		return (standsByItself(election) || election.participation().isContended()) && !this.over
				&& isAllowed(election.role());
	}

	/** What this member says of itself, as it is now. */
	MemberCard card() {
		Map<String, Integer> priorities = new LinkedHashMap<>();
		for (RoleElection election : this.roles.all()) {
			if (standsFor(election) && !election.isPaused()) {
				priorities.put(election.role(), this.settings.priority().applyAsInt(election.role()));
			}
		}
		return MemberCard.of(this.member.get(), priorities);
	}

}
