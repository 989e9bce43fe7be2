package io.leaderstarter.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the tests of {@link FencedByStoreTests} with epochs of etcd. Its backup is a
 * snapshot.
 */
@Order(2)
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
				"leader.etcd.key-prefix=" + this.place };
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
		return cluster.snapshot();
	}

	@Override
	void restore(Object backup) {
		cluster.restore((Path) backup);
	}

	@ParameterizedTest
	@EnumSource
	void leaderWhoseStoreIsRestoredUnderItLeadsNoMore(TestDatabase kind) {
		use(kind);
		lead();
		Object backup = backup();
		start((context) -> {
			TestContexts.lead(context, ROLE);
			assertThat(fence()).isEqualTo(2);
			restore(backup);
			awaitRefusal(context.getBean(DefaultLeaderElections.class));
		});
		assertThat(fence()).isEqualTo(2);
	}

}
