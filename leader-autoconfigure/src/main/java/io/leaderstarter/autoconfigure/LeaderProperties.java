package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.election.membership.Placement;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for leader election.
 *
 * @param backend Backend that keeps the leases. Defaults to the only one that is
 * available.
 * @param namespace Namespace that separates applications in one store. Defaults to
 * spring.application.name.
 * @param placement Which candidate is preferred for a role. With spread, roles are
 * distributed evenly; with first-come, the first candidate that finds a role free gets
 * it.
 * @param member Properties of this member that others see.
 * @param candidate Whether and when this member competes for roles.
 * @param lease Durations of leases.
 * @param shutdown How this member gives its roles up at shutdown.
 * @param roles Properties of roles, by the name of the role.
 * @since 0.1.0
 */
@ConfigurationProperties("leader")
public record LeaderProperties(@Nullable String backend, @Nullable String namespace,
		@DefaultValue("first-come") Placement placement, @DefaultValue MemberProperties member,
		@DefaultValue Candidate candidate, @DefaultValue Lease lease, @DefaultValue Shutdown shutdown,
		@DefaultValue Map<String, Role> roles) {

	/**
	 * Properties of this member that others see.
	 *
	 * @param idPrefix Prefix of this member's id, before a random part. Defaults to the
	 * host name.
	 * @param metadata Details of this member that are shown with it, such as its URL or
	 * version.
	 */
	public record MemberProperties(@Nullable String idPrefix, @DefaultValue Map<String, String> metadata) {
	}

	/**
	 * Whether and when this member competes for roles.
	 *
	 * @param enabled Whether this member competes for roles. If not, it skips every call.
	 * @param start From when on this member competes for roles: when the application is
	 * ready, as soon as the context has started, or not before it is resumed.
	 * @param priority Priority of this member. Members with a lower one wait for at most
	 * a third of the ttl before they acquire a role that this one could acquire.
	 */
	public record Candidate(@DefaultValue("true") boolean enabled, @DefaultValue("ready") Start start,
			@DefaultValue("0") int priority) {
	}

	/**
	 * From when on a member competes for roles.
	 */
	public enum Start {

		/** When the application is ready, after its runners. */
		READY,

		/** As soon as the context has started. */
		CONTEXT,

		/** When it is resumed. Until then all roles are paused. */
		MANUAL

	}

	/**
	 * Durations of leases.
	 *
	 * @param ttl How long a lease lasts without a renewal, and so how long it takes until
	 * another member takes over after a crash. At least 1s with a database, 2s with etcd,
	 * and five times the tickTime of the servers with ZooKeeper.
	 * @param renewInterval Time between two renewals. Defaults to a third of ttl, with
	 * ZooKeeper to a fifth.
	 */
	public record Lease(@DefaultValue("15s") Duration ttl, @Nullable Duration renewInterval) {
	}

	/**
	 * How this member gives its roles up at shutdown.
	 *
	 * @param drainTimeout How long to wait for running calls at shutdown. Roles of calls
	 * that take longer are not released and expire after the ttl. Zero does not wait.
	 */
	public record Shutdown(@DefaultValue("30s") Duration drainTimeout) {
	}

	/**
	 * Properties of a role.
	 *
	 * @param candidate Whether this member competes for the role.
	 * @param priority Priority of this member for the role. Defaults to
	 * leader.candidate.priority.
	 * @param fences Names of the DataSource beans whose fences are raised for the role.
	 * Defaults to all that are fenced.
	 * @param yieldAfterFailures Number of consecutive calls that threw an exception after
	 * which this member yields the role to another one. Zero for never.
	 */
	public record Role(@DefaultValue("true") boolean candidate, @Nullable Integer priority,
			@Nullable Set<String> fences, @DefaultValue("0") int yieldAfterFailures) {
	}

}
