package io.leaderstarter.backend.etcd;

import io.etcd.jetcd.ByteSequence;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdKeys}.
 */
class EtcdKeysTests {

	@Test
	void noNamespaceHasKeysOfAnother() {
		EtcdKeys keys = EtcdKeys.of("/leader", "a/roles");
		assertThat(keys.role("duty")).isEqualTo("/leader/a%2Froles/roles/duty/").doesNotStartWith("/leader/a/");
		assertThat(keys.candidate(".node@1")).isEqualTo("/leader/a%2Froles/candidates/.node%401");
	}

	@Test
	void endIsBehindAllThatBeginSo() {
		ByteSequence end = EtcdKeys.end("/leader/a/");
		assertThat(end.toString()).isEqualTo("/leader/a0");
		assertThat("/leader/a/\uffff").isLessThan("/leader/a0");
	}

	@Test
	void onlyTheKeyOfTheLeaderIsTakenForIt() {
		EtcdKeys keys = EtcdKeys.of("/leader", "a");
		assertThat(EtcdKeys.isLeader(EtcdKeys.bytes(keys.leader("duty")))).isTrue();
		assertThat(EtcdKeys.isLeader(EtcdKeys.bytes(keys.epoch("leader")))).isFalse();
	}

}
