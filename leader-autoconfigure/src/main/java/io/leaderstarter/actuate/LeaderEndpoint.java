package io.leaderstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.Member;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.StoreStatus;
import io.leaderstarter.election.membership.Candidate;
import io.leaderstarter.election.spi.SafeText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@link Endpoint} that shows the leaders of roles, and lets operators resign, pause and
 * resume. It shows what this member knows and sends no requests, so it responds at once
 * even while the store is unreachable. By default it is read-only.
 *
 * @since 0.1.0
 */
@Endpoint(id = "leader", defaultAccess = Access.READ_ONLY)
public class LeaderEndpoint {

	/** The reason when a member is to resign that does not lead. */
	static final String NOT_LEADING = "This member does not lead that role: resign on the leader, or pause this member to keep it from taking the role";

	private final DefaultLeaderElections elections;

	/**
	 * Create a new endpoint.
	 * @param elections the elections
	 */
	public LeaderEndpoint(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	/**
	 * Return all roles.
	 * @return all roles
	 */
	@ReadOperation
	public LeaderDescriptor leader() {
		StoreStatus store = this.elections.storeStatus();
		Map<String, MemberDescriptor> members = members();
		Map<String, RoleDescriptor> roles = new TreeMap<>();
		for (LeaderElection each : this.elections.all()) {
			// A role may be left meanwhile.
			this.elections.find(each.role())
				.ifPresent((election) -> roles.put(election.role(),
						describe(this.elections.status(election), store, null)));
		}
		return new LeaderDescriptor(describe(this.elections.member()),
				new BackendDescriptor(store.backend(), store.isReachable(), store.failure(), store.sinceAnswer(),
						store.lastRenewal(), store.leastLeft(), store.clockSteps()),
				this.elections.longestPause(), List.copyOf(members.values()), roles);
	}

	/**
	 * Return one role.
	 * @param role the role
	 * @return the role, {@code null} if this member has not joined it
	 */
	@ReadOperation
	public @Nullable RoleDescriptor role(@Selector String role) {
		return this.elections.find(role)
			.map((election) -> describe(this.elections.status(election), this.elections.storeStatus(), members()))
			.orElse(null);
	}

	/**
	 * Apply an action to all roles of this member.
	 * @param action the action
	 */
	@WriteOperation
	public void apply(Action action) {
		switch (action) {
			case RESIGN -> this.elections.all().forEach(LeaderElection::resign);
			case PAUSE -> this.elections.pause();
			case RESUME -> this.elections.resume();
		}
	}

	/**
	 * Apply an action to one role of this member.
	 * @param role the role
	 * @param action the action
	 * @return the role, as it is before the running calls have ended
	 * @throws InvalidEndpointRequestException if this member has not joined the role, or
	 * is to resign from one that it does not lead
	 */
	@WriteOperation
	public RoleDescriptor applyToRole(@Selector String role, Action action) {
		RoleElection election = this.elections.find(role)
			.orElseThrow(() -> new InvalidEndpointRequestException(
					"This member has not joined the role '%s'".formatted(SafeText.safely(role)),
					"This member has not joined that role"));
		if (action == Action.RESIGN && this.elections.status(election).own() == null) {
			throw new InvalidEndpointRequestException(
					"This member does not lead '%s', so it cannot resign. Resign on the leader, or pause this member to keep it from taking the role"
						.formatted(SafeText.safely(role)),
					NOT_LEADING);
		}
		switch (action) {
			case RESIGN -> election.resign();
			case PAUSE -> election.pause();
			case RESUME -> election.resume();
		}
		return describe(this.elections.status(election), this.elections.storeStatus(), members());
	}

	private static MemberDescriptor describe(Member member) {
		Map<String, String> metadata = new TreeMap<>();
		member.metadata().forEach((key, value) -> metadata.put(SafeText.safely(key), SafeText.safely(value)));
		return new MemberDescriptor(SafeText.safely(member.id()), metadata);
	}

	/** Return the members by id, in the order of their ids. */
	private Map<String, MemberDescriptor> members() {
		Map<String, MemberDescriptor> members = new LinkedHashMap<>();
		this.elections.members().forEach((member) -> members.put(member.id(), describe(member)));
		return members;
	}

	private static CandidateDescriptor describe(Candidate candidate, boolean withMetadata) {
		MemberDescriptor member = describe(candidate.member());
		return new CandidateDescriptor(member.id(), withMetadata ? member.metadata() : null, candidate.priority());
	}

	/**
	 * Describe a role.
	 * @param members the members if their metadata are to be shown with the role,
	 * {@code null} if they are not
	 */
	private RoleDescriptor describe(RoleStatus status, StoreStatus store,
			@Nullable Map<String, MemberDescriptor> members) {
		Leadership own = status.own();
		StoreStatus.Blocked blocked = store.blocked().get(status.role());
		String refused = store.refused().get(status.role());
		MemberDescriptor leader = (members != null && status.leader() != null) ? members.get(status.leader()) : null;
		return new RoleDescriptor(status.state(), status.leader(), (leader != null) ? leader.metadata() : null,
				status.epoch(), (own != null) ? own.grantedAt() : null, status.timeLeft(), status.age(),
				own == null && !store.isReachable(), status.fences(), status.paused(),
				(refused != null) ? refused : (blocked != null) ? blocked.reason() : null, status.counts(),
				this.elections.candidates(status.role())
					.stream()
					.map((candidate) -> describe(candidate, members != null))
					.toList(),
				status.history());
	}

	/**
	 * What an operator can do.
	 */
	public enum Action {

		/** Give the role up, so that others get their turn. */
		RESIGN,

		/** Give the role up and do not compete for it. */
		PAUSE,

		/** Compete again. */
		RESUME

	}

	/**
	 * All roles as this member knows them.
	 *
	 * @param member this member
	 * @param backend the store
	 * @param longestPause the longest pause of this process
	 * @param members the live members, including this one
	 * @param roles the roles by name
	 */
	public record LeaderDescriptor(MemberDescriptor member, BackendDescriptor backend, Duration longestPause,
			List<MemberDescriptor> members, Map<String, RoleDescriptor> roles) implements OperationResponseBody {
	}

	/**
	 * A member.
	 *
	 * @param id its id
	 * @param metadata its metadata
	 */
	public record MemberDescriptor(String id, Map<String, String> metadata) {
	}

	/**
	 * A candidate for a role.
	 *
	 * @param id its id
	 * @param metadata its metadata, {@code null} among all roles, which may have the same
	 * candidates
	 * @param priority of two candidates the one with the higher priority comes first
	 */
	public record CandidateDescriptor(String id, @Nullable Map<String, String> metadata, int priority) {
	}

	/**
	 * The store.
	 *
	 * @param name its name
	 * @param reachable whether the last request was answered
	 * @param failure why it is not reachable
	 * @param sinceAnswer the time since its last answer
	 * @param lastRenewal when the terms of this member were last renewed, all by one
	 * request, and how long that took
	 * @param leastLeft the least time that was left of a term at its renewal
	 * @param clockSteps how many steps of its clock were observed
	 */
	public record BackendDescriptor(String name, boolean reachable, @Nullable String failure,
			@Nullable Duration sinceAnswer, StoreStatus.@Nullable LastRenewal lastRenewal, @Nullable Duration leastLeft,
			long clockSteps) {
	}

	/**
	 * One role.
	 *
	 * @param state the state of this member
	 * @param leader id of the member that leads, as far as known
	 * @param leaderMetadata metadata of the leader, {@code null} among all roles
	 * @param epoch the last known epoch
	 * @param grantedAt when this member's term began
	 * @param timeLeft how long this member's term lasts without a renewal
	 * @param age the time since the role was observed
	 * @param stale whether it may be outdated, as the store is not reachable
	 * @param fences databases whose fences are raised for this member's term
	 * @param paused whether the role is paused on this member
	 * @param obstacle why no term can begin on this member
	 * @param counts counts since the process started
	 * @param candidates candidates for the role, those with the highest priority first
	 * @param history the last changes, the oldest first
	 */
	public record RoleDescriptor(String state, @Nullable String leader, @Nullable Map<String, String> leaderMetadata,
			long epoch, @Nullable Instant grantedAt, @Nullable Duration timeLeft, @Nullable Duration age, boolean stale,
			Collection<String> fences, boolean paused, @Nullable String obstacle, RoleStatus.Counts counts,
			List<CandidateDescriptor> candidates, List<RoleStatus.Change> history) implements OperationResponseBody {
	}

}
