package io.leaderstarter.autoconfigure;

import java.util.Optional;
import java.util.UUID;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.TestContexts;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a context that is paused, as for a checkpoint, has no connection to the
 * store of its leases, and goes on as another member.
 */
class PausedConnectionsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, ZooKeeperLeaderAutoConfiguration.class,
				EtcdLeaderAutoConfiguration.class))
		.withPropertyValues("spring.application.name=paused", "test.roles=duty");

	@Test
	void thoseToZooKeeperAreClosed() {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(0))) {
			closesAndGoesOn(proxy,
					this.contextRunner.withPropertyValues("leader.zookeeper.connect-string=localhost:" + proxy.port(),
							"leader.zookeeper.base-path=/paused/" + UUID.randomUUID(),
							"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms"));
		}
	}

	@Test
	void thoseToEtcdAreClosed() {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(0))) {
			closesAndGoesOn(proxy,
					this.contextRunner.withPropertyValues("leader.etcd.endpoints=http://localhost:" + proxy.port(),
							"leader.etcd.key-prefix=/paused/" + UUID.randomUUID()));
		}
	}

	private static void closesAndGoesOn(FaultProxy proxy, ApplicationContextRunner runner) {
		runner.run((context) -> {
			TestContexts.lead(context, "duty");
			LeaderElections elections = context.getBean(LeaderElections.class);
			String before = elections.member().id();
			assertThat(proxy.connections()).isPositive();
			ConfigurableApplicationContext source = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			source.pause();
			TestContexts.await().until(() -> proxy.connections() == 0);
			source.restart();
			TestContexts.await().until(() -> elections.election("duty").isLeader());
			assertThat(elections.election("duty").leadership().map(Leadership::member))
				.contains(elections.member().id())
				.isNotEqualTo(Optional.of(before));
			assertThat(proxy.connections()).isPositive();
		});
	}

}
