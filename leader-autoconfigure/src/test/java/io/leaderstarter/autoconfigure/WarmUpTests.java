package io.leaderstarter.autoconfigure;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WarmUp}.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class WarmUpTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.leaderstarter");

	private final Level before = this.logger.getLevel();

	@BeforeEach
	void log() {
		this.logger.setLevel(Level.INFO);
	}

	@AfterEach
	void logAsBefore() {
		this.logger.setLevel(this.before);
	}

	@Test
	void leadsOnceAndNotifiesNoListener(CapturedOutput output) throws InterruptedException {
		assertThat(WarmUp.perform()).isTrue();
		assertThat(output).doesNotContain("warm-up", "backend=local");
	}

}
