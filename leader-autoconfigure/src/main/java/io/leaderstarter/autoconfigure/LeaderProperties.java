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
	 * Where leases are kept. Left out, it is the one backend that can be used.
	 */
	private @Nullable String backend;

	/**
	 * Keeps applications apart that share one store. Defaults to spring.application.name.
	 */
	private @Nullable String namespace;

	/**
	 * Which candidate should rather lead a role. With spread each has its share of the
	 * roles; with first-come it is whoever asks first.
	 */
	private Placement placement = Placement.FIRST_COME;

	private final MemberProperties member = new MemberProperties();

	private final Candidate candidate = new Candidate();

	private final Lease lease = new Lease();

	private final Shutdown shutdown = new Shutdown();

	/**
	 * Settings of single roles, by the name of the role.
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
	 * This process as others see it.
	 */
	public static class MemberProperties {

		/**
		 * Beginning of this member's id; a random part follows. Defaults to the host's
		 * name.
		 */
		private @Nullable String idPrefix;

		/**
		 * What people should see of this member, such as its URL or version.
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
	 * Whether this member stands for roles.
	 */
	public static class Candidate {

		/**
		 * Whether this member stands for roles. One that does not skips every call.
		 */
		private boolean enabled = true;

		/**
		 * From when on this member stands: when the application is ready, as soon as the
		 * context has started, or not before it is told to resume.
		 */
		private Start start = Start.READY;

		/**
		 * Priority of this member. Members with a lower one wait for a third of the ttl
		 * at most before they take a role that this one could take.
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
	 * From when on a member stands for roles.
	 */
	public enum Start {

		/** When the application is ready: its runners are done. */
		READY,

		/** As soon as the context has started. */
		CONTEXT,

		/** When it is told to resume. Until then all roles are paused. */
		MANUAL

	}

	/**
	 * Times of a lease.
	 */
	public static class Lease {

		/**
		 * How long a lease lasts without a renewal, and with it how long the roles of a
		 * member that died stay without a leader. At least 1s with a database, 2s with
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
	 * How this member leaves its roles.
	 */
	public static class Shutdown {

		/**
		 * How long running calls may take to end before a role is left to run out by
		 * itself. Zero waits for none.
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
	 * One role.
	 */
	public static class Role {

		/**
		 * Whether this member stands for the role.
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
		 * After how many calls in a row that threw an exception this member gives the
		 * role up, so that another one has a try. Zero for never.
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
