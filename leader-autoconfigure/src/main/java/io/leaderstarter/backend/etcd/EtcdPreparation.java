package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreException;

/**
 * Verifies that etcd can be used, and reads its store id.
 */
final class EtcdPreparation {

	private EtcdPreparation() {
	}

	/**
	 * Prepare the store.
	 * @return the store id
	 */
	static String prepare(EtcdCall call, EtcdKeys keys) {
		requireAccess(call, keys);
		return storeId(call, keys);
	}

	/**
	 * Any user may create a lease, even without the permission to write. So a request is
	 * sent that would write if the version of a key were negative: etcd checks the
	 * permissions first.
	 */
	private static void requireAccess(EtcdCall call, EtcdKeys keys) {
		ByteSequence probe = EtcdKeys.bytes(keys.probe());
		String all = keys.namespace() + "/";
		GetOption any = GetOption.builder().withRange(EtcdKeys.end(all)).withLimit(1).withKeysOnly(true).build();
		call.await(call.client()
			.getKVClient()
			.txn()
			.If(new Cmp(probe, Cmp.Op.LESS, CmpTarget.version(0)))
			.Then(Op.put(probe, ByteSequence.EMPTY, PutOption.DEFAULT))
			.Else(Op.get(EtcdKeys.bytes(all), any))
			.commit(), all);
	}

	/**
	 * The id of the cluster is not enough: a cluster that was recreated with the same
	 * addresses has the same one.
	 */
	private static String storeId(EtcdCall call, EtcdKeys keys) {
		ByteSequence key = EtcdKeys.bytes(keys.storeId());
		TxnResponse answer = call.await(call.client()
			.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.version(0)))
			.Then(Op.put(key, EtcdKeys.bytes(Platform.SYSTEM.randomId()), PutOption.DEFAULT),
					Op.get(key, GetOption.DEFAULT))
			.Else(Op.get(key, GetOption.DEFAULT))
			.commit(), keys.storeId());
		List<KeyValue> found = answer.getGetResponses().get(0).getKvs();
		if (found.isEmpty()) {
			throw new StoreException("The key %s was deleted just now".formatted(keys.storeId()),
					"Find out who deletes keys below leader.etcd.key-prefix, and start the application again.", null);
		}
		return found.get(0).getValue().toString(StandardCharsets.UTF_8);
	}

}
