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
 * The lease in etcd of all roles of this member.
 * <p>
 * The answer to a keep-alive does not prove that the lease was extended: a deposed raft
 * leader answers too until it is informed. So the keys of the lease are read afterwards,
 * which needs a majority of the servers, and both answers must have the same raft term.
 * The term in an answer may have begun after the server passed the keep-alive on to the
 * raft leader before; so an earlier answer of the server must have had the same term
 * already.
 */
final class MemberLease {

	/** The number of servers, each of which may answer once with a new raft term. */
	private static final int MOST_TRIES = 9;

	private static final int MOST_BYTES = 1024 * 1024;

	/** The size of a key in an answer, without the common prefix. */
	private static final int KEY_BYTES = 256;

	private final ByteSequence first;

	private final ByteSequence end;

	private final long seconds;

	private final Duration young;

	private final long page;

	/** The raft term in the last answer of each server. */
	private final Map<Long, Long> terms = new HashMap<>();

	/** Leases whose revocation was not confirmed. */
	private final Set<Long> unconfirmed = new LinkedHashSet<>();

	private volatile @Nullable Present present;

	/**
	 * Create a new instance without a lease.
	 * @param keys the prefix of the keys of the lease
	 * @param ttl the ttl that is relied on; rounded up, as etcd counts in seconds
	 */
	MemberLease(String keys, Duration ttl) {
		this.first = EtcdKeys.bytes(keys);
		this.end = EtcdKeys.end(keys);
		this.seconds = ttl.plusMillis(999).toSeconds();
		this.young = ttl.dividedBy(4);
		this.page = MOST_BYTES / (keys.length() + KEY_BYTES);
	}

	/** Return whether a lease is the current one of this member. */
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
	 * Return the moment from which at least the ttl of the lease is counted.
	 * @return the moment, {@code null} if there is no lease
	 */
	@Nullable Moment countedFrom() {
		Present known = this.present;
		return (known != null) ? known.countedFrom() : null;
	}

	void forget() {
		this.present = null;
	}

	/** Make sure that there is a lease with most of its ttl left. */
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
	 * Extend the lease to its full ttl.
	 * @return its keys
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
	 * End the lease, and with it its keys. Without an answer the request may still be
	 * executed at any time, so the lease is given up before: roles that were granted with
	 * it later would end unnoticed.
	 */
	void revoke(EtcdCall call) {
		this.unconfirmed.add(id());
		forget();
		retryRevocations(call);
	}

	/**
	 * End leases whose revocation was not answered. Otherwise their keys would exist
	 * until the leases expire.
	 */
	void retryRevocations(EtcdCall call) {
		for (Long id : List.copyOf(this.unconfirmed)) {
			try {
				call.await(call.client().getLeaseClient().revoke(id), "the lease of this member");
			}
			catch (LeaseGoneException ex) {
				// It has expired already.
			}
			this.unconfirmed.remove(id);
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

	/**
	 * Return whether the last answer of the server had the same raft term, and remember
	 * the term.
	 */
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
	 * A key of the lease.
	 *
	 * @param key its name
	 * @param revision the revision that wrote it
	 */
	record Proof(String key, long revision) {
	}

}
