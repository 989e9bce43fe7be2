package io.leaderstarter.autoconfigure;

import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Runs the tests of {@link FencedByStoreTests} with epochs of ZooKeeper. Its backup is
 * the data of the node of the role.
 */
class FencedByZooKeeperTests extends FencedByStoreTests {

	private final String node = "%s/%s/%s".formatted(this.place, NAMESPACE, ROLE);

	private CuratorFramework client;

	@BeforeEach
	void connect() {
		this.client = CuratorFrameworkFactory.newClient(ZooKeeperEnsemble.shared().connectString(), 10_000, 5000,
				new RetryOneTime(1));
		this.client.start();
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Override
	String[] properties() {
		return new String[] { "leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString(),
				"leader.zookeeper.base-path=" + this.place,
				"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms" };
	}

	@Override
	void depose() throws Exception {
		this.client.delete().forPath(this.node + "/leader");
	}

	@Override
	Object backup() throws Exception {
		return this.client.getData().forPath(this.node);
	}

	@Override
	void restore(Object backup) throws Exception {
		this.client.setData().forPath(this.node, (byte[]) backup);
	}

}
