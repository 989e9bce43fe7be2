package io.leaderstarter.backend.zookeeper;

import java.util.stream.Stream;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link NodePaths}: what names become.
 */
class NodePathsTests {

	@ParameterizedTest
	@ValueSource(
			strings = { ".", "..", "a/b", "a b", "zookeeper", "@store-id", "100%", "\u00fcber \ud83d\ude80", "a\nb" })
	void everyNameIsOneThatANodeMayHave(String name) {
		NodePaths paths = NodePaths.of("/base", name);
		assertThatNoException().isThrownBy(() -> PathUtils.validatePath(paths.leader("role")));
		assertThat(paths.namespace()).isNotEqualTo(paths.storeId()).matches("/base/[^/@]+");
	}

	@Test
	void differentNamesStayDifferent() {
		assertThat(Stream.of("..", ".", "%2E", "a b", "a%20b", "a+b", "a/b", "A b").map(NodePaths::encode))
			.doesNotHaveDuplicates();
		assertThat(NodePaths.encode("invoices-2.eu:north_1")).isEqualTo("invoices-2.eu:north_1");
	}

}
