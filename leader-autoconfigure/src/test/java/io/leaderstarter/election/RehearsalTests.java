package io.leaderstarter.election;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Rehearsal}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RehearsalTests {

	@Test
	void leadsOnceAndTellsNobody(CapturedOutput output) throws InterruptedException {
		assertThat(Rehearsal.perform(new Rehearsal.Stage())).isTrue();
		assertThat(output).doesNotContain("rehearsal");
	}

}
