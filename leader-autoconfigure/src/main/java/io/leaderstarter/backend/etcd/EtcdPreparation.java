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
 * Finds out whether etcd can be used, and what tells it from others.
 */
final class EtcdPreparation {

	private final EtcdKeys keys;

	EtcdPreparation(EtcdKeys keys) {
		this.keys = keys;
	}

	/**
	 * Prepares everything.
	 * @return what tells this store from others
	 */
	String prepare(EtcdCall call) {
		requireAccess(call);
		return storeId(call);
	}

	/**
	 * etcd grants a lease to everybody, also to those who may write nothing. So a request
	 * is made that would write if a key had been written a negative number of times: etcd
	 * asks for the permissions first.
	 */
	private void requireAccess(EtcdCall call) {
		ByteSequence probe = EtcdKeys.bytes(this.keys.probe());
		String all = this.keys.namespace() + "/";
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
	 * The id of the cluster is not enough: one that was deleted and made again with the
	 * same addresses has the same.
	 */
	private String storeId(EtcdCall call) {
		ByteSequence key = EtcdKeys.bytes(this.keys.storeId());
		TxnResponse answer = call.await(call.client()
			.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.version(0)))
			.Then(Op.put(key, EtcdKeys.bytes(Platform.SYSTEM.randomId()), PutOption.DEFAULT),
					Op.get(key, GetOption.DEFAULT))
			.Else(Op.get(key, GetOption.DEFAULT))
			.commit(), this.keys.storeId());
		List<KeyValue> found = answer.getGetResponses().get(0).getKvs();
		if (found.isEmpty()) {
			throw new StoreException("The key %s was deleted just now".formatted(this.keys.storeId()),
					"Find out who deletes keys below leader.etcd.key-prefix, and start the application again.", null);
		}
		return found.get(0).getValue().toString(StandardCharsets.UTF_8);
	}

}
