package io.leaderstarter.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of roles, many in one request. Each role is seen as it was at one
 * moment.
 */
final class RoleKeys {

	private static final Log logger = LogFactory.getLog(RoleKeys.class);

	private final EtcdKeys keys;

	/** Keys that were found to hold garbage, which was said. */
	private final Set<String> garbage = new HashSet<>();

	RoleKeys(EtcdKeys keys) {
		this.keys = keys;
	}

	List<RoleKey> read(EtcdCall call, Collection<String> roles) {
		Map<List<String>, CompletableFuture<TxnResponse>> sent = new LinkedHashMap<>();
		for (List<String> chunk : Chunks.of(roles)) {
			Op[] operations = chunk.stream().map(this::read).toArray(Op[]::new);
			sent.put(chunk, call.client().getKVClient().txn().Then(operations).commit());
		}
		List<RoleKey> found = new ArrayList<>();
		sent.forEach((chunk, future) -> {
			List<GetResponse> answers = call.await(future, this.keys.roles()).getGetResponses();
			for (int i = 0; i < chunk.size(); i++) {
				found.add(of(chunk.get(i), answers.get(i).getKvs()));
			}
		});
		return found;
	}

	private Op read(String role) {
		String first = this.keys.role(role);
		return Op.get(EtcdKeys.bytes(first), GetOption.builder().withRange(EtcdKeys.end(first)).withLimit(2).build());
	}

	private RoleKey of(String role, List<KeyValue> found) {
		KeyValue epoch = find(this.keys.epoch(role), found);
		KeyValue leader = find(this.keys.leader(role), found);
		return new RoleKey(role, (epoch != null) ? record(epoch) : LeaseRecord.NONE,
				(epoch != null) ? epoch.getModRevision() : 0, (leader != null) ? record(leader) : null,
				(leader != null) ? leader.getLease() : 0, (leader != null) ? leader.getCreateRevision() : 0);
	}

	private LeaseRecord record(KeyValue found) {
		LeaseRecord record = LeaseRecord.read(found.getValue());
		String key = found.getKey().toString();
		if (!record.isGarbage()) {
			this.garbage.remove(key);
		}
		else if (this.garbage.add(key)) {
			logger.error(
					"The key %s in etcd holds what no election has written. Nothing is changed there, and the role has no next term until somebody %s"
						.formatted(key, EtcdKeys.isLeader(found.getKey()) ? "deletes the key"
								: "writes 'epoch=n' with a number that is higher than all that were given out"));
		}
		return record;
	}

	private static @Nullable KeyValue find(String key, List<KeyValue> found) {
		return found.stream().filter((candidate) -> candidate.getKey().toString().equals(key)).findFirst().orElse(null);
	}

	/**
	 * A role as it was read.
	 *
	 * @param role its name
	 * @param last what was granted last
	 * @param revision of the key that holds that, which changes with every grant
	 * @param leader who leads, {@code null} if nobody does
	 * @param lease what the leader's key lives by
	 * @param leaderRevision what made the leader's key
	 */
	record RoleKey(String role, LeaseRecord last, long revision, @Nullable LeaseRecord leader, long lease,
			long leaderRevision) {
	}

}
