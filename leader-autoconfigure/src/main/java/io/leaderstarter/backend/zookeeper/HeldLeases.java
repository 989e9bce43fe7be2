package io.leaderstarter.backend.zookeeper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.leaderstarter.election.spi.LeaseKey;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * The leases that this process was granted and did not release, as far as it knows.
 */
final class HeldLeases {

	/** What a check takes in a request, its path apart. */
	private static final int CHECK_BYTES = 32;

	private final NodePaths paths;

	/** By role, as only the latest lease of a role can be held. */
	private final ConcurrentMap<String, Held> held = new ConcurrentHashMap<>();

	HeldLeases(NodePaths paths) {
		this.paths = paths;
	}

	boolean isEmpty() {
		return this.held.isEmpty();
	}

	void add(LeaseKey lease, long session, int version) {
		this.held.put(lease.role(), new Held(lease, session, version));
	}

	/**
	 * Returns those that are still held, by one request for all, which the servers agree
	 * on. That the version is still the same means that nobody was granted the role
	 * since; a node of the successor could not be told from ours by its own version.
	 */
	List<LeaseKey> check(ZooKeeperCall call, Collection<LeaseKey> leases) {
		List<Check> asked = new ArrayList<>();
		for (LeaseKey lease : leases) {
			Held known = this.held.get(lease.role());
			if (known == null || !known.lease().equals(lease)) {
				continue;
			}
			if (known.session() == call.session().id()) {
				asked.add(new Check(lease, Op.check(this.paths.role(lease.role()), known.version())));
			}
			else {
				// Its node has gone with its session, or goes soon.
				this.held.remove(lease.role(), known);
			}
		}
		List<LeaseKey> kept = new ArrayList<>();
		for (List<Check> chunk : Chunks.of(asked, Check::bytes)) {
			checkTogether(call, chunk);
			chunk.forEach((check) -> kept.add(check.lease()));
		}
		return kept;
	}

	/** Frees leases that are still held. */
	void release(ZooKeeperCall call, Collection<LeaseKey> leases) {
		Map<LeaseKey, CompletableFuture<ZooKeeperCall.Answer>> sent = new LinkedHashMap<>();
		for (LeaseKey lease : leases) {
			Held known = this.held.get(lease.role());
			if (known == null || !known.lease().equals(lease)) {
				continue;
			}
			this.held.remove(lease.role(), known);
			if (known.session() == call.session().id()) {
				sent.put(lease, call.send(List.of(Op.check(this.paths.role(lease.role()), known.version()),
						Op.delete(this.paths.leader(lease.role()), -1))));
			}
		}
		sent.forEach((lease, future) -> {
			ZooKeeperCall.Answer answer = call.await(future);
			if (answer.failed() < 0 && !answer.isOk() || answer.code() == Code.NOAUTH) {
				throw ZooKeeperFailures.of(answer.code(), this.paths.leader(lease.role()));
			}
		});
	}

	/** One that fails makes all fail, so it is asked again without it. */
	private void checkTogether(ZooKeeperCall call, List<Check> chunk) {
		while (!chunk.isEmpty()) {
			ZooKeeperCall.Answer answer = call.await(call.send(chunk.stream().map(Check::operation).toList()));
			if (answer.isOk()) {
				return;
			}
			int failed = answer.failed();
			if (failed < 0 || (answer.code() != Code.BADVERSION && answer.code() != Code.NONODE)) {
				throw ZooKeeperFailures.of(answer.code(), "the leases that are held");
			}
			this.held.remove(chunk.remove(failed).lease().role());
		}
	}

	private record Check(LeaseKey lease, Op operation) {

		int bytes() {
			return this.operation.getPath().length() + CHECK_BYTES;
		}

	}

	private record Held(LeaseKey lease, long session, int version) {
	}

}
