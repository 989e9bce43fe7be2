package io.leaderstarter.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.leaderstarter.testsupport.EtcdCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Runs the tests of {@link FencedByStoreTests} with epochs of etcd. Its backup is what
 * the servers have on disk.
 */
class FencedByEtcdTests extends FencedByStoreTests {

	private static EtcdCluster cluster;

	@BeforeAll
	static void start() {
		cluster = EtcdCluster.of(1);
	}

	@AfterAll
	static void end() {
		cluster.close();
	}

	@Override
	String[] properties() {
		return new String[] { "leader.etcd.endpoints=" + cluster.endpoints().get(0),
				"leader.etcd.key-prefix=" + this.place, "leader.etcd.connection-timeout=20s" };
	}

	@Override
	void depose() throws Exception {
		String key = "%s/%s/roles/%s/leader".formatted(this.place, NAMESPACE, ROLE);
		try (Client client = cluster.client()) {
			client.getKVClient().delete(ByteSequence.from(key, StandardCharsets.UTF_8)).get();
		}
	}

	@Override
	Object backup() {
		Path backup = cluster.takeAway();
		cluster.start();
		return backup;
	}

	@Override
	void restore(Object backup) {
		cluster.putBack((Path) backup);
	}

}
