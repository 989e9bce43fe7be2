package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.SafeText;
import io.leaderstarter.election.state.Candidacy;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState;
import org.jspecify.annotations.Nullable;

/**
 * What is known on this member about one role. It is the last known state and asks
 * nobody, so it is there at once even if the store is away.
 *
 * @param role the role
 * @param state the state of this member: {@code FOLLOWER}, {@code ACQUIRED},
 * {@code LEADER}, {@code LEAVING}, {@code DRAIN_TIMED_OUT}, {@code RELEASING} or
 * {@code LOST}
 * @param leader id of the member that led when the store was last seen, {@code null} if
 * nobody did, or nothing was seen since the own term ended
 * @param epoch the last known epoch, 0 if there was none
 * @param own the term of this member, {@code null} if it has none that is valid
 * @param timeLeft how long the own term lasts without a renewal, {@code null} if there is
 * no own term
 * @param age the time since the store was seen, {@code null} if it was not yet, or not
 * since the own term ended, and zero for the own term
 * @param fences names of the databases whose fences are raised for the own term
 * @param paused whether this member is paused for the role
 * @param counts what happened since the process started
 * @param history the last changes, the oldest first
 * @since 0.1.0
 */
public record RoleStatus(String role, String state, @Nullable String leader, long epoch, @Nullable Leadership own,
		@Nullable Duration timeLeft, @Nullable Duration age, Collection<String> fences, boolean paused, Counts counts,
		List<Change> history) {

	/**
	 * What was seen of a role before a term of this member is not known: it would show a
	 * leader from before that term after it.
	 * @param candidacy what was seen of the role, {@code null} if nothing was
	 */
	static RoleStatus of(RoleElection election, ElectionContext context, @Nullable Candidacy candidacy) {
		Moment now = context.time().now();
		RoleState state = election.state();
		if (state instanceof Holder holder && holder.isValid(now)) {
			Leadership own = holder.leadership();
			Duration left = Duration.ofNanos(Math.max(0, holder.deadline().nanosLeft(now)));
			Collection<String> fences = (holder.phase() != RoleState.Phase.ACQUIRED) ? context.gate().opened(own)
					: List.of();
			return of(election, state, own.member(), own.epoch(), own, left, Duration.ZERO, fences);
		}
		Moment ended = election.terms().phaseSince();
		// First, or what was seen before could count as seen at a later poll.
		Moment seenAt = (candidacy != null) ? candidacy.seenAt() : null;
		LeaseView seen = (candidacy != null) ? candidacy.seen() : null;
		if (seen == null || seenAt == null || (ended != null && ended.nanos() - seenAt.nanos() > 0)) {
			return of(election, state, null, lastEpoch(election), null, null, null, List.of());
		}
		String leader = (seen.owner() != null) ? SafeText.safely(seen.owner().member()) : null;
		return of(election, state, leader, seen.epoch(), null, null, now.since(seenAt), List.of());
	}

	private static RoleStatus of(RoleElection election, RoleState state, @Nullable String leader, long epoch,
			@Nullable Leadership own, @Nullable Duration left, @Nullable Duration age, Collection<String> fences) {
		return new RoleStatus(election.role(), state.name(), leader, epoch, own, left, age, fences, election.isPaused(),
				election.record().counts(), election.record().history());
	}

	private static long lastEpoch(RoleElection election) {
		List<Change> history = election.record().history();
		return history.isEmpty() ? 0 : history.get(history.size() - 1).epoch();
	}

	/**
	 * A change of the state of this member in the election for a role.
	 *
	 * @param at when, by the wall clock of this member
	 * @param from the state before, see {@link RoleStatus#state()}
	 * @param to the state since then
	 * @param epoch the epoch of its term
	 * @param reason why, {@code null} if the term went on as usual
	 */
	public record Change(Instant at, String from, String to, long epoch, @Nullable String reason) {
	}

	/**
	 * What happened to a role on this member since the process started.
	 *
	 * @param granted terms that began
	 * @param revoked terms that ended after they had begun
	 * @param executed calls that ran under a term, and have ended
	 * @param skipped calls that did not run, as this member does not lead or the last run
	 * was too recent
	 */
	public record Counts(long granted, long revoked, long executed, long skipped) {
	}

}
