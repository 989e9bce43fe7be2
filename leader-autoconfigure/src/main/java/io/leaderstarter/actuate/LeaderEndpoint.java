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
 * {@link Endpoint} that shows who leads what, and lets people steer. It tells what this
 * member knows and asks nobody, so it answers at once even while the store is away. By
 * default it can only be read.
 *
 * @since 0.1.0
 */
@Endpoint(id = "leader", defaultAccess = Access.READ_ONLY)
public class LeaderEndpoint {

	/** What the caller is told who wants a follower to resign. */
	static final String NOT_LEADING = "This member does not lead that role: resign on the leader, or pause this member to keep it from taking the role";

	private final DefaultLeaderElections elections;

	/**
	 * Makes the endpoint.
	 * @param elections what is shown
	 */
	public LeaderEndpoint(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	/**
	 * Shows all roles.
	 * @return all roles
	 */
	@ReadOperation
	public LeaderDescriptor leader() {
		StoreStatus store = this.elections.storeStatus();
		Map<String, MemberDescriptor> members = members();
		Map<String, RoleDescriptor> roles = new TreeMap<>();
		for (LeaderElection each : this.elections.all()) {
			// A role may be left while this looks.
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
	 * Shows one role.
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
	 * Steers all roles of this member.
	 * @param action what to do
	 */
	@WriteOperation
	public void steer(Action action) {
		switch (action) {
			case RESIGN -> this.elections.all().forEach(LeaderElection::resign);
			case PAUSE -> this.elections.pause();
			case RESUME -> this.elections.resume();
		}
	}

	/**
	 * Steers one role of this member.
	 * @param role the role
	 * @param action what to do
	 * @return the role, as it is before the running calls have ended
	 * @throws InvalidEndpointRequestException if this member has not joined the role, or
	 * is to resign from one that it does not lead
	 */
	@WriteOperation
	public RoleDescriptor steerRole(@Selector String role, Action action) {
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

	/** By id, in the order of the ids. */
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
	 * Describes a role.
	 * @param members the members if their metadata are to be repeated for the role,
	 * {@code null} if they are shown elsewhere
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
	 * What people can do.
	 */
	public enum Action {

		/** Give the role up, so that others get their turn. */
		RESIGN,

		/** Give the role up and do not stand for it. */
		PAUSE,

		/** Stand again. */
		RESUME

	}

	/**
	 * All roles as this member knows them.
	 *
	 * @param member this member
	 * @param backend the store
	 * @param longestPause the longest time that this process stood still
	 * @param members the members that live, this one among them
	 * @param roles the roles by name
	 */
	public record LeaderDescriptor(MemberDescriptor member, BackendDescriptor backend, Duration longestPause,
			List<MemberDescriptor> members, Map<String, RoleDescriptor> roles) implements OperationResponseBody {
	}

	/**
	 * A member.
	 *
	 * @param id its id
	 * @param metadata what it says of itself
	 */
	public record MemberDescriptor(String id, Map<String, String> metadata) {
	}

	/**
	 * A member that stands for a role.
	 *
	 * @param id its id
	 * @param metadata what it says of itself, {@code null} among all roles, which may
	 * have the same candidates
	 * @param priority of two candidates the one with the higher priority comes first
	 */
	public record CandidateDescriptor(String id, @Nullable Map<String, String> metadata, int priority) {
	}

	/**
	 * The store.
	 *
	 * @param name its name
	 * @param reachable whether its last answer was one
	 * @param failure why it does not answer
	 * @param sinceAnswer the time since it last answered
	 * @param lastRenewal when the terms of this member were last renewed, all by one
	 * request, and how long that took
	 * @param leastLeft the least time that was left of a term when its renewal came
	 * @param clockSteps how often its clock was seen to be set
	 */
	public record BackendDescriptor(String name, boolean reachable, @Nullable String failure,
			@Nullable Duration sinceAnswer, StoreStatus.@Nullable LastRenewal lastRenewal, @Nullable Duration leastLeft,
			long clockSteps) {
	}

	/**
	 * One role.
	 *
	 * @param state where this member stands
	 * @param leader id of the member that leads, as far as known
	 * @param leaderMetadata what the leader says of itself, {@code null} among all roles
	 * @param epoch the last known epoch
	 * @param grantedAt when this member's term began
	 * @param timeLeft how long this member's term lasts without a renewal
	 * @param age how old this knowledge is
	 * @param stale whether it may be old, as the store does not answer
	 * @param fences databases whose fences are raised for this member's term
	 * @param paused whether this member was told not to stand for the role
	 * @param obstacle why no term can begin on this member
	 * @param counts what happened since the process started
	 * @param candidates members that stand for the role, those with the highest priority
	 * first
	 * @param history the last changes, the oldest first
	 */
	public record RoleDescriptor(String state, @Nullable String leader, @Nullable Map<String, String> leaderMetadata,
			long epoch, @Nullable Instant grantedAt, @Nullable Duration timeLeft, @Nullable Duration age, boolean stale,
			Collection<String> fences, boolean paused, @Nullable String obstacle, RoleStatus.Counts counts,
			List<CandidateDescriptor> candidates, List<RoleStatus.Change> history) implements OperationResponseBody {
	}

}
