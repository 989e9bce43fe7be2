package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.election.membership.Placement;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leader election.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader")
public class LeaderProperties {

	/**
	 * Backend that keeps the leases. Defaults to the only one that is available.
	 */
	private @Nullable String backend;

	/**
	 * Namespace that separates applications in one store. Defaults to
	 * spring.application.name.
	 */
	private @Nullable String namespace;

	/**
	 * Which candidate is preferred for a role. With spread, roles are distributed evenly;
	 * with first-come, the first candidate that finds a role free gets it.
	 */
	private Placement placement = Placement.FIRST_COME;

	private final MemberProperties member = new MemberProperties();

	private final Candidate candidate = new Candidate();

	private final Lease lease = new Lease();

	private final Shutdown shutdown = new Shutdown();

	/**
	 * Properties of roles, by the name of the role.
	 */
	private final Map<String, Role> roles = new LinkedHashMap<>();

	public @Nullable String getBackend() {
		return this.backend;
	}

	public void setBackend(@Nullable String backend) {
		this.backend = backend;
	}

	public @Nullable String getNamespace() {
		return this.namespace;
	}

	public void setNamespace(@Nullable String namespace) {
		this.namespace = namespace;
	}

	public Placement getPlacement() {
		return this.placement;
	}

	public void setPlacement(Placement placement) {
		this.placement = placement;
	}

	public MemberProperties getMember() {
		return this.member;
	}

	public Candidate getCandidate() {
		return this.candidate;
	}

	public Lease getLease() {
		return this.lease;
	}

	public Shutdown getShutdown() {
		return this.shutdown;
	}

	public Map<String, Role> getRoles() {
		return this.roles;
	}

	/**
	 * Properties of this member that others see.
	 */
	public static class MemberProperties {

		/**
		 * Beginning of this member's id; a random part follows. Defaults to the host's
		 * name.
		 */
		private @Nullable String idPrefix;

		/**
		 * Details of this member that are shown with it, such as its URL or version.
		 */
		private Map<String, String> metadata = new LinkedHashMap<>();

		public @Nullable String getIdPrefix() {
			return this.idPrefix;
		}

		public void setIdPrefix(@Nullable String idPrefix) {
			this.idPrefix = idPrefix;
		}

		public Map<String, String> getMetadata() {
			return this.metadata;
		}

		public void setMetadata(Map<String, String> metadata) {
			this.metadata = metadata;
		}

	}

	/**
	 * Whether and when this member competes for roles.
	 */
	public static class Candidate {

		/**
		 * Whether this member competes for roles. If not, it skips every call.
		 */
		private boolean enabled = true;

		/**
		 * From when on this member competes for roles: when the application is ready, as
		 * soon as the context has started, or not before it is resumed.
		 */
		private Start start = Start.READY;

		/**
		 * Priority of this member. Members with a lower one wait for at most a third of
		 * the ttl before they acquire a role that this one could acquire.
		 */
		private int priority = 0;

		public int getPriority() {
			return this.priority;
		}

		public void setPriority(int priority) {
			this.priority = priority;
		}

		public boolean isEnabled() {
			return this.enabled;
		}

		public Start getStart() {
			return this.start;
		}

		public void setStart(Start start) {
			this.start = start;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

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
	 */
	public static class Lease {

		/**
		 * How long a lease lasts without a renewal, and so how long it takes until
		 * another member takes over after a crash. At least 1s with a database, 2s with
		 * etcd, and five ticks of the servers with ZooKeeper.
		 */
		private Duration ttl = Duration.ofSeconds(15);

		/**
		 * Time between two renewals. Defaults to a third of ttl, with ZooKeeper to a
		 * fifth.
		 */
		private @Nullable Duration renewInterval;

		public Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(Duration ttl) {
			this.ttl = ttl;
		}

		public @Nullable Duration getRenewInterval() {
			return this.renewInterval;
		}

		public void setRenewInterval(@Nullable Duration renewInterval) {
			this.renewInterval = renewInterval;
		}

	}

	/**
	 * How this member gives its roles up at shutdown.
	 */
	public static class Shutdown {

		/**
		 * How long to wait for running calls at shutdown. Roles of calls that take longer
		 * are not released and expire after the ttl. Zero does not wait.
		 */
		private Duration drainTimeout = Duration.ofSeconds(30);

		public Duration getDrainTimeout() {
			return this.drainTimeout;
		}

		public void setDrainTimeout(Duration drainTimeout) {
			this.drainTimeout = drainTimeout;
		}

	}

	/**
	 * Properties of a role.
	 */
	public static class Role {

		/**
		 * Whether this member competes for the role.
		 */
		private boolean candidate = true;

		/**
		 * Priority of this member for the role. Defaults to leader.candidate.priority.
		 */
		private @Nullable Integer priority;

		/**
		 * Names of the DataSource beans whose fences are raised for the role. Defaults to
		 * all that are fenced.
		 */
		private @Nullable Set<String> fences;

		/**
		 * Number of consecutive calls that threw an exception after which this member
		 * yields the role to another one. Zero for never.
		 */
		private int yieldAfterFailures = 0;

		public int getYieldAfterFailures() {
			return this.yieldAfterFailures;
		}

		public void setYieldAfterFailures(int yieldAfterFailures) {
			this.yieldAfterFailures = yieldAfterFailures;
		}

		public @Nullable Set<String> getFences() {
			return this.fences;
		}

		public void setFences(@Nullable Set<String> fences) {
			this.fences = fences;
		}

		public @Nullable Integer getPriority() {
			return this.priority;
		}

		public void setPriority(@Nullable Integer priority) {
			this.priority = priority;
		}

		public boolean isCandidate() {
			return this.candidate;
		}

		public void setCandidate(boolean candidate) {
			this.candidate = candidate;
		}

	}

}
