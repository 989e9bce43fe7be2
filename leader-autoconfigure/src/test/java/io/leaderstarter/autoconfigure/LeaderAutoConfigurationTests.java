package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.Member;
import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.membership.Candidate;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.JoinedRoles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LeaderAutoConfiguration}.
 */
class LeaderAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withPropertyValues("spring.application.name=test", "leader.backend=local")
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class));

	@Test
	void priorityIsThatOfTheRoleOrOfTheMember() {
		TestContexts.local()
			.withPropertyValues("leader.candidate.priority=3", "leader.roles.invoices.priority=-1",
					"test.roles=invoices,reports", "leader.placement=spread")
			.run((context) -> {
				TestContexts.lead(context);
				DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
				TestContexts.await().until(() -> !elections.members().isEmpty());
				assertThat(elections.candidates("invoices")).extracting(Candidate::priority).containsExactly(-1);
				assertThat(elections.candidates("reports")).extracting(Candidate::priority).containsExactly(3);
			});
	}

	@Test
	void memberHasAnIdOfItsOwnInEveryContext() {
		this.contextRunner.run((first) -> this.contextRunner
			.run((second) -> assertThat(member(first).id()).isNotEqualTo(member(second).id())));
	}

	@Test
	void memberTakesPrefixAndMetadataFromProperties() {
		this.contextRunner.withPropertyValues("leader.member.id-prefix=billing", "leader.member.metadata.zone=eu-1")
			.run((context) -> {
				Member member = member(context);
				assertThat(member.id()).startsWith("billing-");
				assertThat(member.metadata()).containsExactly(Map.entry("zone", "eu-1"));
			});
	}

	@Test
	void longestPrefixFitsAndIsNotCut() {
		String prefix = "p".repeat(128);
		this.contextRunner.withPropertyValues("leader.member.id-prefix=" + prefix)
			.run((context) -> assertThat(member(context).id()).startsWith(prefix + "-"));
	}

	@Test
	void memberBacksOffForTheUsersOwn() {
		Member own = Member.start("own", Map.of());
		this.contextRunner.withBean(Member.class, () -> own).run((context) -> {
			assertThat(context.getBean(LeaderElections.class).member()).isSameAs(own);
		});
	}

	private static Member member(ApplicationContext context) {
		return context.getBean(LeaderElections.class).member();
	}

	@Test
	void timingIsComputedFromTheTtl() {
		this.contextRunner.withPropertyValues("leader.lease.ttl=30s")
			.run((context) -> assertThat(context.getBean(LeaseTiming.class)).isEqualTo(new LeaseTiming(
					Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(6), Duration.ofMillis(600))));
	}

	@Test
	void timingTakesWhatIsSet() {
		this.contextRunner.withPropertyValues("leader.lease.ttl=30s", "leader.lease.renew-interval=5s")
			.run((context) -> assertThat(context.getBean(LeaseTiming.class)).isEqualTo(new LeaseTiming(
					Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofSeconds(6), Duration.ofMillis(600))));
	}

	@Test
	void emptyDurationIsTheDefault() {
		this.contextRunner.withPropertyValues("leader.lease.ttl=", "leader.shutdown.drain-timeout=")
			.run((context) -> assertThat(context.getBean(LeaseTiming.class).ttl()).isEqualTo(Duration.ofSeconds(15)));
	}

	@Test
	void timingBacksOffForTheUsersOwn() {
		LeaseTiming own = LeaseTiming.of(Duration.ofMinutes(1), null, null);
		this.contextRunner.withBean(LeaseTiming.class, () -> own)
			.run((context) -> assertThat(context.getBean(LeaseTiming.class)).isSameAs(own));
	}

	@Test
	void electionsBackOffForTheUsersOwn() {
		DefaultLeaderElections own = new DefaultLeaderElections(Member.start("own", Map.of()),
				new LocalLeaseStoreFactory().create(new StoreIdentity("test", "own", Duration.ofSeconds(15))),
				TermGate.OPEN,
				new ElectionSettings(LeaseTiming.of(Duration.ofSeconds(15), null, null), Duration.ofSeconds(1)),
				TimeSource.SYSTEM);
		this.contextRunner.withBean(DefaultLeaderElections.class, () -> own)
			.run((context) -> assertThat(context.getBean(LeaderElections.class)).isSameAs(own));
	}

	@Test
	void applicationMayHaveElectionsOfItsOwnBesideThoseThatWork() {
		LeaderElections own = mock(LeaderElections.class);
		this.contextRunner.withBean("own", LeaderElections.class, () -> own).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LeaderElections.class)).isSameAs(own);
			assertThat(context.getBean(DefaultLeaderElections.class)).isNotNull();
		});
	}

	@Test
	void propertiesOfARoleDoNotMakeThisMemberJoinIt() {
		this.contextRunner.withPropertyValues("leader.roles.invoices.candidate=true", "leader.roles.reports=")
			.run((context) -> assertThat(context.getBean(LeaderElections.class).all()).isEmpty());
	}

	@ParameterizedTest
	@CsvSource({ "nightlyJob, leader.roles.nightlyJob", "nightlyJob, leader.roles.nightly-job",
			"nightlyJob, leader.roles.nightlyjob", "nightlyJob, leader.roles[nightlyJob]", "a.b, leader.roles.a.b",
			"a.b, leader.roles.[a.b]", "a:b, leader.roles.a:b", "a:b, leader.roles.[a:b]",
			"Mixed.Case_1-x, leader.roles.[Mixed.Case_1-x]", "priority, leader.roles.priority" })
	void roleFindsItsPropertiesHoweverItsNameIsWritten(String role, String prefix) {
		this.contextRunner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("roles", Map.of(prefix + ".candidate", "false"))))
			.run((context) -> assertThat(context.getBean(DefaultLeaderElections.class).isCandidate(role)).isFalse());
	}

	@Test
	void roleFindsItsPropertiesInEnvironmentVariablesToo() {
		this.contextRunner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource(
						"test-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						Map.of("LEADER_ROLES_NIGHTLYJOB_CANDIDATE", "false"))))
			.withPropertyValues("leader.roles.nightlyJob.priority=7", "leader.roles.nightlyJob.candidate=true")
			.run((context) -> {
				DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
				assertThat(elections.isCandidate("nightlyJob")).isFalse();
				assertThat(context.getBean(RoleProperties.class).find("nightlyJob").priority()).isEqualTo(7);
			});
	}

	@Test
	void propertyThatNoRoleHasIsRefused() {
		this.contextRunner.withPropertyValues("leader.roles.invoices.prioritty=5")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("leader.roles.invoices.prioritty is not a property of a role"));
		this.contextRunner.withPropertyValues("leader.roles.invoices=5")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("leader.roles.invoices is not a property of a role"));
	}

	@Test
	void gateOfTheUserIsPassedBeforeATermBegins() {
		List<String> passed = new CopyOnWriteArrayList<>();
		this.contextRunner.withBean(TermGate.class, () -> (leadership) -> passed.add(leadership.role()))
			.withPropertyValues("test.roles=gated")
			.run((context) -> {
				TestContexts.lead(context, "gated");
				assertThat(passed).containsExactly("gated");
			});
	}

	@Test
	void twoBeansOfWhichOneWouldBeUsedAreRefused() {
		assertThatTwoAreRefused(TermGate.class, () -> TermGate.OPEN);
		assertThatTwoAreRefused(TimeSource.class, () -> TimeSource.SYSTEM);
		assertThatTwoAreRefused(Member.class, () -> Member.start("node", Map.of()));
	}

	private <T> void assertThatTwoAreRefused(Class<T> type, Supplier<T> bean) {
		this.contextRunner.withBean("one", type, bean)
			.withBean("other", type, bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class));
	}

	@Test
	void namespaceIsTheApplicationsNameUnlessItIsSet() {
		String url = TestContexts.h2();
		ApplicationContextRunner duty = TestContexts.jdbc(url)
			.withPropertyValues("test.roles=duty", "leader.lease.ttl=5m");
		duty.run((first) -> {
			TestContexts.lead(first, "duty");
			// The same role in another namespace is another role.
			duty.withPropertyValues("leader.namespace=other").run((second) -> TestContexts.lead(second, "duty"));
			duty.withPropertyValues("spring.application.name=third").run((third) -> TestContexts.lead(third, "duty"));
			assertThat(first.getBean(LeaderElections.class).election("duty").isLeader()).isTrue();
		});
	}

}
