package io.leaderstarter.autoconfigure;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderEndpoint;
import io.leaderstarter.actuate.LeaderEndpoint.MemberDescriptor;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a client that can write to ZooKeeper or etcd cannot inject text into the
 * endpoint, nor lines into a log.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class HostileStoreTests {

	private static final String EVIL = "evil\r\n2026-01-01 ERROR <script>\u001b[31m\u202e";

	private static final String SHOWN = "evil??2026-01-01 ERROR <script>?[31m?";

	private final String place = "/hostile/" + UUID.randomUUID();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withPropertyValues("spring.application.name=test", "leader.lease.ttl=4s", "test.roles=duty",
				"management.endpoints.web.exposure.include=leader")
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, EtcdLeaderAutoConfiguration.class,
				ZooKeeperLeaderAutoConfiguration.class, LeaderActuatorAutoConfiguration.class));

	@Test
	void textInEtcdIsCreatedSafe(CapturedOutput output) throws Exception {
		try (Client other = EtcdCluster.shared().client()) {
			for (String key : new String[] { "/roles/duty/epoch", "/roles/duty/leader" }) {
				other.getKVClient().put(bytes(this.place + "/test" + key), bytes(record())).get();
			}
			other.getKVClient().put(bytes(this.place + "/test/candidates/" + encode(EVIL)), bytes(card())).get();
		}
		assertIsSafe(output, "leader.etcd.key-prefix=" + this.place,
				"leader.etcd.endpoints=" + EtcdCluster.shared().endpoints().get(0));
	}

	@Test
	void textInZooKeeperIsCreatedSafe(CapturedOutput output) throws Exception {
		try (CuratorFramework other = CuratorFrameworkFactory.newClient(ZooKeeperEnsemble.shared().connectString(),
				new RetryOneTime(1))) {
			other.start();
			for (String node : new String[] { "/duty", "/duty/leader" }) {
				other.create().creatingParentsIfNeeded().forPath(this.place + "/test" + node, record().getBytes());
			}
			other.create()
				.creatingParentsIfNeeded()
				.forPath(this.place + "/test/@members/" + encode(EVIL) + "@1", card().getBytes());
		}
		assertIsSafe(output, "leader.zookeeper.base-path=" + this.place,
				"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms",
				"leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString());
	}

	private void assertIsSafe(CapturedOutput output, String... properties) {
		this.contextRunner.withPropertyValues(properties).run((context) -> {
			TestContexts.ready(context);
			LeaderEndpoint endpoint = context.getBean(LeaderEndpoint.class);
			TestContexts.await().until(() -> endpoint.leader().members().size() == 2);
			assertThat(endpoint.leader().members()).filteredOn((member) -> member.id().startsWith("evil"))
				.singleElement()
				.extracting(MemberDescriptor::id, (member) -> member.metadata().get(SHOWN))
				.containsExactly(SHOWN, SHOWN);
			TestContexts.await().until(() -> endpoint.role("duty").leader() != null);
			assertThat(endpoint.role("duty").leader()).isEqualTo(SHOWN);
			assertThat(endpoint.role("duty").epoch()).isEqualTo(7);
		});
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("2026-01-01 ERROR"));
	}

	/** What a leader writes, who would have such an id. */
	private static String record() {
		return "epoch=7\ntermId=termId\nmember=%s\n".formatted(encode(EVIL));
	}

	private static String card() {
		return "metadata.%s=%s\n".formatted(encode(EVIL), encode(EVIL));
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
