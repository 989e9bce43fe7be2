package io.leaderstarter.autoconfigure;

import java.util.Map;

import io.leaderstarter.Member;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderAutoConfiguration}.
 */
class LeaderAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("spring.application.name=test", "leader.backend=local")
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class));

	@Test
	void memberHasAnIdOfItsOwnInEveryContext() {
		this.contextRunner
			.run((first) -> this.contextRunner.run((second) -> assertThat(first.getBean(Member.class).id())
				.isNotEqualTo(second.getBean(Member.class).id())));
	}

	@Test
	void memberTakesPrefixAndMetadataFromProperties() {
		this.contextRunner.withPropertyValues("leader.member.id-prefix=billing", "leader.member.metadata.zone=eu-1")
			.run((context) -> {
				Member member = context.getBean(Member.class);
				assertThat(member.id()).startsWith("billing-");
				assertThat(member.metadata()).containsExactly(Map.entry("zone", "eu-1"));
			});
	}

	@Test
	void memberBacksOffForTheUsersOwn() {
		Member own = Member.start("own", Map.of());
		this.contextRunner.withBean(Member.class, () -> own)
			.run((context) -> assertThat(context.getBean(Member.class)).isSameAs(own));
	}

}
