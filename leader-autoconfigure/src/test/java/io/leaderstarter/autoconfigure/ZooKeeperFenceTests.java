package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.UUID;

import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests for a database that is fenced by the epochs of ZooKeeper.
 */
class ZooKeeperFenceTests extends StoreFenceContractTests {

	private final String basePath = "/fence-" + UUID.randomUUID();

	private final CuratorFramework client = start();

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Override
	protected Class<?> autoConfiguration() {
		return ZooKeeperLeaderAutoConfiguration.class;
	}

	@Override
	protected List<String> properties() {
		return List.of("leader.backend=zookeeper",
				"leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString(),
				"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms",
				"leader.zookeeper.base-path=" + this.basePath);
	}

	@Override
	protected void takeRoleAway() throws Exception {
		this.client.delete().forPath(this.basePath + "/" + APPLICATION + "/" + ROLE + "/leader");
	}

	@Override
	protected void forgetEpochs() throws Exception {
		this.client.delete().deletingChildrenIfNeeded().forPath(this.basePath + "/" + APPLICATION);
	}

	@Override
	protected void forgetAll() throws Exception {
		this.client.delete().deletingChildrenIfNeeded().forPath(this.basePath);
	}

	private static CuratorFramework start() {
		CuratorFramework client = CuratorFrameworkFactory.newClient(ZooKeeperEnsemble.shared().connectString(), 10_000,
				5000, new RetryOneTime(1));
		client.start();
		return client;
	}

}
