package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Response;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.options.GetOption;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The one lease in etcd that all roles of this member live by.
 * <p>
 * That etcd answers a keep-alive does not prove that the lease was extended: a server
 * that leads no more without knowing it answers too. So the keys of the lease are read
 * afterwards, which a majority of the servers has to agree on, and both answers must come
 * from the same raft term. A server tells the term when it answers, which may have begun
 * after it passed the keep-alive on to the leader of the term before; so it must have
 * told the same term already in an answer before.
 */
final class MemberLease {

	/** So many servers may see a new term before each told it once. */
	private static final int MOST_TRIES = 9;

	private static final int MOST_BYTES = 1024 * 1024;

	/** What a key takes in an answer, the beginning that all have in common apart. */
	private static final int KEY_BYTES = 256;

	private final ByteSequence first;

	private final ByteSequence end;

	private final long seconds;

	private final Duration young;

	private final long page;

	/** By server the raft term that it told last. */
	private final Map<Long, Long> terms = new HashMap<>();

	/** Leases that were to be ended, as long as nobody said that they are. */
	private final Set<Long> doomed = new LinkedHashSet<>();

	private volatile @Nullable Present present;

	/**
	 * Makes the lease known to nobody so far.
	 * @param keys what the keys begin with that live by the lease
	 * @param ttl what is relied on. etcd counts in seconds, and never less than that.
	 */
	MemberLease(String keys, Duration ttl) {
		this.first = EtcdKeys.bytes(keys);
		this.end = EtcdKeys.end(keys);
		this.seconds = ttl.plusMillis(999).toSeconds();
		this.young = ttl.dividedBy(4);
		this.page = MOST_BYTES / (keys.length() + KEY_BYTES);
	}

	/** Whether a key that lives by that lease is ours. */
	boolean isPresent(long lease) {
		Present known = this.present;
		return known != null && known.id() == lease;
	}

	long id() {
		Present known = this.present;
		if (known == null) {
			throw new IllegalStateException("There is no lease");
		}
		return known.id();
	}

	/**
	 * Returns the moment that the time of the lease is counted from at the least.
	 * @return the moment, {@code null} if there is no lease
	 */
	@Nullable Moment countedFrom() {
		Present known = this.present;
		return (known != null) ? known.countedFrom() : null;
	}

	void forget() {
		this.present = null;
	}

	/** Makes sure that there is a lease, and that most of its time is left. */
	void require(EtcdCall call, Attempt attempt) {
		Present known = this.present;
		if (known != null && attempt.sentAt().since(known.countedFrom()).compareTo(this.young) > 0) {
			try {
				prove(call, attempt);
			}
			catch (LeaseGoneException ex) {
				forget();
			}
		}
		if (this.present == null) {
			LeaseGrantResponse answer = call.await(call.client().getLeaseClient().grant(this.seconds), "a lease");
			requireTime(answer.getTTL());
			isKnown(answer.getHeader());
			this.present = new Present(answer.getID(), attempt.sentAt());
		}
	}

	/**
	 * Gives the lease its full time again.
	 * @return what lives by it
	 * @throws LeaseGoneException if there is none any more
	 */
	Set<Proof> prove(EtcdCall call, Attempt attempt) {
		long id = id();
		Response.Header kept = keepAlive(call, id);
		for (int tries = 1; !isKnown(kept); tries++) {
			if (tries == MOST_TRIES) {
				throw new StoreException("The servers of etcd elect a leader again and again", null);
			}
			kept = keepAlive(call, id);
		}
		Set<Proof> proofs = read(call, id, kept.getRaftTerm());
		this.present = new Present(id, attempt.sentAt());
		return proofs;
	}

	/**
	 * Ends the lease, and with it all that lives by it. If there is no answer the request
	 * can still arrive at any time, so the lease is given up before it is sent: what was
	 * granted by it later would end unnoticed.
	 */
	void revoke(EtcdCall call) {
		this.doomed.add(id());
		forget();
		endDoomed(call);
	}

	/**
	 * Ends leases again that were to be ended before without an answer, or what lives by
	 * them would be waited for until they have run out.
	 */
	void endDoomed(EtcdCall call) {
		for (Long id : List.copyOf(this.doomed)) {
			try {
				call.await(call.client().getLeaseClient().revoke(id), "the lease of this member");
			}
			catch (LeaseGoneException ex) {
				// It is what was wanted.
			}
			this.doomed.remove(id);
		}
	}

	private Response.Header keepAlive(EtcdCall call, long id) {
		LeaseKeepAliveResponse answer = call.await(call.client().getLeaseClient().keepAliveOnce(id),
				"the lease of this member");
		requireTime(answer.getTTL());
		return answer.getHeader();
	}

	private Set<Proof> read(EtcdCall call, long id, long term) {
		Set<Proof> proofs = new HashSet<>();
		ByteSequence from = this.first;
		while (from != null) {
			GetOption option = GetOption.builder().withRange(this.end).withLimit(this.page).withKeysOnly(true).build();
			GetResponse answer = call.await(call.client().getKVClient().get(from, option), this.first.toString());
			isKnown(answer.getHeader());
			if (answer.getHeader().getRaftTerm() != term) {
				throw new StoreException("The servers of etcd elected another leader meanwhile", null);
			}
			from = null;
			for (KeyValue key : answer.getKvs()) {
				if (key.getLease() == id) {
					proofs.add(new Proof(key.getKey().toString(), key.getModRevision()));
				}
				from = answer.isMore() ? key.getKey().concat(EtcdKeys.bytes("\0")) : null;
			}
		}
		return proofs;
	}

	/** Whether the server told the same term before. Now it has. */
	private boolean isKnown(Response.Header header) {
		Long before = this.terms.put(header.getMemberId(), header.getRaftTerm());
		return before != null && before == header.getRaftTerm();
	}

	private void requireTime(long granted) {
		if (granted < this.seconds) {
			throw new StoreException("etcd gives a lease only %d s instead of %d s".formatted(granted, this.seconds),
					null);
		}
	}

	private record Present(long id, Moment countedFrom) {
	}

	/**
	 * A key that lives by the lease.
	 *
	 * @param key its name
	 * @param revision what wrote it
	 */
	record Proof(String key, long revision) {
	}

}
