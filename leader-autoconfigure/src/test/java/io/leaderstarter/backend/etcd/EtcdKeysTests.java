package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.stream.Stream;

import io.etcd.jetcd.ByteSequence;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdKeys} and what they hold.
 */
class EtcdKeysTests {

	@Test
	void namesHaveNoSlashAndAreApart() {
		assertThat(Stream.of("a", "A", "a/b", "a%2Fb", "a_b", "ä", "@authority", "", " ").map(EtcdKeys::encode))
			.doesNotHaveDuplicates()
			.noneMatch((name) -> name.contains("/") || name.startsWith("@"));
	}

	@Test
	void noNamespaceHasKeysOfAnother() {
		EtcdKeys keys = EtcdKeys.of("/leader", "a/roles");
		assertThat(keys.role("duty")).isEqualTo("/leader/a%2Froles/roles/duty/").doesNotStartWith("/leader/a/");
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

	@Test
	void recordIsReadAsItWasWritten() {
		LeaseRecord record = new LeaseRecord(Long.MAX_VALUE, "tenure", "node 1=\n%ä");
		assertThat(LeaseRecord.read(record.write(Duration.ofSeconds(15)))).isEqualTo(record);
		// What a person writes to set an epoch right.
		assertThat(LeaseRecord.read(EtcdKeys.bytes("epoch=12"))).isEqualTo(new LeaseRecord(12, "", ""));
	}

	@Test
	void whatNoElectionHasWrittenIsGarbage() {
		for (String text : new String[] { "", "x", "epoch=", "epoch=-3", "epoch=1e3", "epoch=9223372036854775808",
				"epoch=1\nmember=%", "=", "\0" }) {
			assertThat(LeaseRecord.read(EtcdKeys.bytes(text)).isGarbage()).as(text).isTrue();
		}
		assertThat(LeaseRecord.read(ByteSequence.from(new byte[] { (byte) 0xff, (byte) 0xfe })).isGarbage()).isTrue();
	}

}
