package io.leaderstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.StoreStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@link Endpoint} that shows who leads what. It tells what this member knows and asks
 * nobody, so it answers at once even while the store is away.
 *
 * @since 0.1.0
 */
@Endpoint(id = "leader", defaultAccess = Access.READ_ONLY)
public class LeaderEndpoint {

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
		Map<String, RoleDescriptor> roles = new TreeMap<>();
		for (LeaderElection election : this.elections.all()) {
			roles.put(election.role(), describe(this.elections.status(election.role())));
		}
		StoreStatus store = this.elections.storeStatus();
		return new LeaderDescriptor(
				new MemberDescriptor(this.elections.member().id(), this.elections.member().metadata()),
				new BackendDescriptor(store.backend(), store.isReachable(), store.failure(), store.sinceAnswer()),
				roles);
	}

	/**
	 * Shows one role.
	 * @param role the role
	 * @return the role, {@code null} if this member has not joined it
	 */
	@ReadOperation
	public @Nullable RoleDescriptor role(@Selector String role) {
		return this.elections.all().stream().anyMatch((election) -> election.role().equals(role))
				? describe(this.elections.status(role)) : null;
	}

	private static RoleDescriptor describe(RoleStatus status) {
		Leadership own = status.own();
		return new RoleDescriptor(status.state(), status.leader(), status.epoch(),
				(own != null) ? own.grantedAt() : null, status.timeLeft(), status.age());
	}

	/**
	 * All roles as this member knows them.
	 *
	 * @param member this member
	 * @param backend the store
	 * @param roles the roles by name
	 */
	public record LeaderDescriptor(MemberDescriptor member, BackendDescriptor backend,
			Map<String, RoleDescriptor> roles) implements OperationResponseBody {
	}

	/**
	 * This member.
	 *
	 * @param id its id
	 * @param metadata what it says of itself
	 */
	public record MemberDescriptor(String id, Map<String, String> metadata) {
	}

	/**
	 * The store.
	 *
	 * @param name its name
	 * @param reachable whether its last answer was one
	 * @param failure why it does not answer
	 * @param sinceAnswer the time since it last answered
	 */
	public record BackendDescriptor(String name, boolean reachable, @Nullable String failure,
			@Nullable Duration sinceAnswer) {
	}

	/**
	 * One role.
	 *
	 * @param state where this member stands
	 * @param leader id of the member that leads, as far as known
	 * @param epoch the last known epoch
	 * @param grantedAt when this member's term began
	 * @param timeLeft how long this member's term lasts without a renewal
	 * @param age how old this knowledge is
	 */
	public record RoleDescriptor(String state, @Nullable String leader, long epoch, @Nullable Instant grantedAt,
			@Nullable Duration timeLeft, @Nullable Duration age) implements OperationResponseBody {
	}

}
