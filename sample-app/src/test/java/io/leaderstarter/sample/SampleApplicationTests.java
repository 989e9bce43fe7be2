package io.leaderstarter.sample;

import io.leaderstarter.Member;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SampleApplication}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class SampleApplicationTests {

	@Test
	void starts(@Autowired Member member) {
		assertThat(member.id()).isNotBlank();
	}

}
