package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Knows from when on the servers must have counted the time of our session at least.
 * <p>
 * A request that the servers agreed on does not prove that the one that ends sessions has
 * heard of us: the server that we are connected to tells it only with its next answer to
 * a ping, of which there are two in a tick. So a request proves only that the one before
 * has been told, if that was answered a tick before this one was sent.
 */
final class SessionProofs {

	private static final int MOST = 64;

	private final Duration tick;

	private final Deque<Proof> proofs = new ArrayDeque<>();

	private long session;

	SessionProofs(Duration tick) {
		this.tick = tick;
	}

	/** A request was agreed on by the servers. */
	void add(ZooKeeperSession session, Moment sentAt, Moment answeredAt) {
		enter(session);
		Proof last = this.proofs.peekFirst();
		// So that many within one tick do not push out those that are old enough.
		if (last == null || sentAt.since(last.answeredAt()).compareTo(this.tick.dividedBy(4)) >= 0) {
			this.proofs.addFirst(new Proof(sentAt, answeredAt));
			if (this.proofs.size() > MOST) {
				this.proofs.removeLast();
			}
		}
	}

	/** Whether the session needs a request soon that the servers have to agree on. */
	boolean isDue(ZooKeeperSession session, Moment now) {
		enter(session);
		Proof last = this.proofs.peekFirst();
		return last == null || now.since(last.answeredAt()).compareTo(this.tick.dividedBy(2)) >= 0;
	}

	/**
	 * Returns the moment that the session's time is counted from if the servers agreed on
	 * a request that was sent then.
	 * @return the moment, {@code null} if nothing is known of the session so far
	 */
	@Nullable Moment countedFrom(ZooKeeperSession session, Moment sentAt) {
		enter(session);
		for (Iterator<Proof> rest = this.proofs.iterator(); rest.hasNext();) {
			Proof proof = rest.next();
			if (sentAt.since(proof.answeredAt()).compareTo(this.tick) >= 0) {
				return proof.sentAt();
			}
		}
		// The servers count a session from its beginning, whoever hears what later.
		return session.bornAfter();
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
