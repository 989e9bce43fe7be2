package io.leaderstarter.sample.demo.node;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Report}.
 */
class ReportTests {

	@Test
	void isReadFromALine() {
		assertThat(
				Report.read("@demo {\"kind\":\"granted\",\"role\":\"invoices\",\"number\":7,\"detail\":null,\"at\":1}"))
			.isEqualTo(new Report("granted", "invoices", 7, null, 1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "Started SampleApplication", "@demo ", "@demo {\"kind\":\"gran", "@demo null",
			"@demo {}", "@demo {\"kind\":\"granted\",\"number\":\"seven\"}" })
	void whatIsNoneIsLeftOut(String line) {
		assertThat(Report.read(line)).isNull();
	}

}
