package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.stream.Stream;

import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.StoreIdentity;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link NodePaths} and {@link LeaseRecord}: what names become.
 */
class NodePathsTests {

	@ParameterizedTest
	@ValueSource(
			strings = { ".", "..", "a/b", "a b", "zookeeper", "@authority", "100%", "\u00fcber \ud83d\ude80", "a\nb" })
	void everyNameIsOneThatANodeMayHave(String name) {
		NodePaths paths = NodePaths.of("/base", name);
		assertThatNoException().isThrownBy(() -> PathUtils.validatePath(paths.leader("role")));
		assertThat(paths.namespace()).isNotEqualTo(paths.authority()).matches("/base/[^/@]+");
	}

	@Test
	void differentNamesStayDifferent() {
		assertThat(Stream.of("a b", "a%20b", "a+b", "a/b", "A b").map(NodePaths::encode)).doesNotHaveDuplicates();
		assertThat(NodePaths.encode("invoices-2.eu:north_1")).isEqualTo("invoices-2.eu:north_1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "node-1", "two\nlines=3", "a+b%2B", "\u00fcber" })
	void recordIsReadAsItWasWritten(String member) {
		LeaseRecord written = LeaseRecord.of(new LeaseRequest("role", 41, "tenure", null, false),
				new StoreIdentity("test", member, Duration.ofSeconds(15)));
		assertThat(written.epoch()).isEqualTo(42);
		assertThat(LeaseRecord.read(written.write(Duration.ofSeconds(15)))).isEqualTo(written);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "nonsense", "epoch=x", "epoch=1\nmember=%zz" })
	void garbageHasNoEpochThatAnElectionWrites(String data) {
		assertThat(LeaseRecord.read(data.getBytes()).epoch()).isNegative();
		assertThat(LeaseRecord.read(null).epoch()).isNegative();
	}

}
