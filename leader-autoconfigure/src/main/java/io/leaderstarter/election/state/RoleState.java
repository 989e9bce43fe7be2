package io.leaderstarter.election.state;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The state of one member in the election for one role.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public sealed interface RoleState {

	/** Name for display. */
	default String name() {
		Phase phase = phase();
		return (phase != null) ? phase.name() : "FOLLOWER";
	}

	/** How far the term has come, {@code null} if there is none. */
	@Nullable Phase phase();

	/** Whether calls that still run are to be cancelled. */
	default boolean isCancelled() {
		return phase() == Phase.LOST || phase() == Phase.DRAIN_TIMED_OUT;
	}

	/** Another member may lead; this one holds nothing. */
	record Follower() implements RoleState {

		public static final Follower INSTANCE = new Follower();

		@Override
		public @Nullable Phase phase() {
			return null;
		}

	}

	/**
	 * This member holds a term, or has calls that began under it.
	 *
	 * @param leadership the term
	 * @param deadline until when the term is valid
	 * @param phase how far the term has come
	 * @param reason why it ends, {@code null} as long as it does not
	 */
	record Holder(Leadership leadership, Deadline deadline, Phase phase,
			@Nullable RevocationReason reason) implements RoleState {

		public Holder with(Phase phase, @Nullable RevocationReason reason) {
			return new Holder(this.leadership, this.deadline, phase, reason);
		}

		public Holder with(Deadline deadline) {
			return new Holder(this.leadership, deadline, this.phase, this.reason);
		}

		public LeaseKey key() {
			return new LeaseKey(this.leadership.role(), this.leadership.epoch(), this.leadership.termId());
		}

		public boolean is(String termId) {
			return this.leadership.termId().equals(termId);
		}

		/** Whether what is done under the term still counts. */
		public boolean isValid(Moment now) {
			return this.phase != Phase.LOST && this.phase != Phase.RELEASING && !this.deadline.hasPassed(now);
		}

		/** Whether it is over as soon as no call runs. */
		public boolean isDraining() {
			return this.phase == Phase.LEAVING || this.phase == Phase.DRAIN_TIMED_OUT || this.phase == Phase.LOST;
		}

		/** Whether listeners were notified of its beginning, and not of its end. */
		public boolean isAnnounced() {
			return this.phase == Phase.LEADER || (this.phase != Phase.LOST && this.reason != null);
		}

	}

	/**
	 * How far a term has come.
	 */
	enum Phase {

		/** Granted by the store, renewed, not announced: fences are being raised. */
		ACQUIRED(true),

		/** Announced. New calls may begin. */
		LEADER(true),

		/** Leaving on purpose. Renewed until the running calls have ended. */
		LEAVING(true),

		/**
		 * Leaving, but a call did not end within the drain time-out. Not renewed any
		 * more; valid until the deadline.
		 */
		DRAIN_TIMED_OUT(false),

		/** No call runs; the lease is being released. */
		RELEASING(false),

		/** Over. Kept only until the calls that began under it have ended. */
		LOST(false);

		private final boolean renewed;

		Phase(boolean renewed) {
			this.renewed = renewed;
		}

		/** Whether this member intends to keep the lease. */
		public boolean isRenewed() {
			return this.renewed;
		}

	}

}
