package io.leaderstarter.backend.zookeeper;

import java.nio.charset.StandardCharsets;

import io.leaderstarter.backend.support.Prepared;
import io.leaderstarter.election.spi.Platform;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Creates the parent nodes of all roles, and verifies that they can be used.
 */
final class ZooKeeperPreparation {

	private final NodePaths paths;

	private final Prepared<String> storeId = new Prepared<>();

	ZooKeeperPreparation(NodePaths paths) {
		this.paths = paths;
	}

	/** Return the store id. Called by other threads, too. */
	String storeId() {
		return this.storeId.get();
	}

	/** Prepare what could not be prepared when the application started. */
	void prepareOnce(ZooKeeperCall call) {
		if (!this.storeId.isSet()) {
			prepare(call);
		}
	}

	void prepare(ZooKeeperCall call) {
		for (int slash = 0; slash >= 0;) {
			slash = this.paths.namespace().indexOf('/', slash + 1);
			String path = (slash > 0) ? this.paths.namespace().substring(0, slash) : this.paths.namespace();
			// A user may lack the right to create a node that exists.
			if (!call.await(call.exists(path)).isOk()) {
				create(call, path, new byte[0]);
			}
		}
		create(call, this.paths.storeId(), Platform.SYSTEM.randomId().getBytes(StandardCharsets.UTF_8));
		// All rights that are needed to take a role and to free it.
		call.execute(call.creation(this.paths.probe(), new byte[0], CreateMode.EPHEMERAL),
				Op.setData(this.paths.probe(), new byte[0], 0), Op.delete(this.paths.probe(), 1))
			.require(this.paths.namespace());
		this.storeId.set(readStoreId(call));
	}

	private void create(ZooKeeperCall call, String path, byte[] data) {
		call.execute(call.creation(path, data, CreateMode.PERSISTENT)).require(path, Code.NODEEXISTS);
	}

	private String readStoreId(ZooKeeperCall call) {
		ZooKeeperCall.Answer answer = call.execute(Op.getData(this.paths.storeId()));
		if (answer.known().get(0) instanceof OpResult.GetDataResult found) {
			return new String(found.getData(), StandardCharsets.UTF_8);
		}
		throw ZooKeeperFailures.of(answer.code(), this.paths.storeId());
	}

}
