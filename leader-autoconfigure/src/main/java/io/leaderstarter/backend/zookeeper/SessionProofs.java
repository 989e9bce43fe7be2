package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Calculates from which moment the servers count the time-out of the session at the
 * earliest.
 * <p>
 * A request with a majority does not prove that the leader of the ensemble, which expires
 * sessions, has extended the session: the connected server reports sessions to it only
 * with its next answer to a ping, twice in a tick. So a request proves only that an
 * earlier one was reported, if that was answered a tick before this one was sent.
 */
final class SessionProofs {

	private static final int MOST = 64;

	private final Duration tick;

	private final Deque<Proof> proofs = new ArrayDeque<>();

	private long session;

	SessionProofs(Duration tick) {
		this.tick = tick;
	}

	/** Add a request that was answered with a majority. */
	void add(ZooKeeperSession session, Moment sentAt, Moment answeredAt) {
		enter(session);
		Proof last = this.proofs.peekFirst();
		// So that many requests within one tick do not remove those that are old enough.
		if (last == null || sentAt.since(last.answeredAt()).compareTo(this.tick.dividedBy(4)) >= 0) {
			this.proofs.addFirst(new Proof(sentAt, answeredAt));
			if (this.proofs.size() > MOST) {
				this.proofs.removeLast();
			}
		}
	}

	/** Return whether the session needs a request with a majority soon. */
	boolean isDue(ZooKeeperSession session, Moment now) {
		enter(session);
		Proof last = this.proofs.peekFirst();
		return last == null || now.since(last.answeredAt()).compareTo(this.tick.dividedBy(2)) >= 0;
	}

	/**
	 * Return the moment from which the time-out of the session is counted, given the time
	 * of a request with a majority.
	 * @return the moment, {@code null} if it is not known
	 */
	@Nullable Moment countedFrom(ZooKeeperSession session, Moment sentAt) {
		enter(session);
		for (Proof proof : this.proofs) {
			if (sentAt.since(proof.answeredAt()).compareTo(this.tick) >= 0) {
				return proof.sentAt();
			}
		}
		// The servers count a session at least from its creation.
		return session.createdAfter();
	}

	private void enter(ZooKeeperSession session) {
		if (this.session != session.id()) {
			this.proofs.clear();
			this.session = session.id();
		}
	}

	private record Proof(Moment sentAt, Moment answeredAt) {
	}

}
