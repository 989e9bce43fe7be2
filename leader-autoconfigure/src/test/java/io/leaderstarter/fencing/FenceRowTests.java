package io.leaderstarter.fencing;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FenceRow}.
 */
class FenceRowTests {

	/** Both ids may be written by others, and are shown in logs. */
	@Test
	void textsOfStoresAreShownSafely() {
		String evil = "%s\n2026-01-01 ERROR all is lost \u202e\u001b[31m";
		FenceRow row = new FenceRow("duty", 1, "term", evil.formatted("fence's"));
		assertThat(row.foreign("main", evil.formatted("member's"))).contains("store fence's?2026", "in member's?2026")
			.doesNotContain("\n", "\u202e", "\u001b");
	}

}
