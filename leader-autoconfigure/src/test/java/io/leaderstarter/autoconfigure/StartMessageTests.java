package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StartMessage}, as it is logged.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class StartMessageTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("test.roles=invoices,reports");

	private final Logger logger = (Logger) LoggerFactory.getLogger(LeaderLifecycle.class);

	@BeforeEach
	void log() {
		this.logger.setLevel(Level.INFO);
	}

	@AfterEach
	void logAsBefore() {
		this.logger.setLevel(null);
	}

	@Test
	void backendPlaceNamespaceMemberAndRolesAreOneLine(CapturedOutput output) {
		String name = UUID.randomUUID().toString();
		TestContexts.jdbc("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;PASSWORD=s3cret")
			.withPropertyValues("test.roles=invoices", "spring.datasource.password=s3cret")
			.run((context) -> {
				String member = context.getBean(LeaderElections.class).member().id();
				assertThat(lines(output)).singleElement()
					.asString()
					.contains("INFO")
					.endsWith("Leader election in the namespace 'test' by the backend jdbc at jdbc:h2:mem:" + name
							+ ": member " + member + " competes for [invoices] when the application is ready");
			});
		assertThat(output).doesNotContain("s3cret");
	}

	@Test
	void rolesThatThisMemberDoesNotCompeteForAreLogged(CapturedOutput output) {
		this.contextRunner.withPropertyValues("leader.roles.reports.candidate=false", "leader.namespace=other")
			.run((context) -> assertThat(lines(output)).singleElement()
				.asString()
				.contains("in the namespace 'other' by the backend local: member")
				.endsWith("competes for [invoices] when the application is ready, and is no candidate for [reports]"));
	}

	@Test
	void memberThatIsNoCandidateAtAllIsLogged(CapturedOutput output) {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false")
			.run((context) -> assertThat(lines(output)).singleElement()
				.asString()
				.endsWith("is no candidate for [invoices, reports] (leader.candidate.enabled=false)"));
	}

	@Test
	void whenItCompetesIsLogged(CapturedOutput output) {
		this.contextRunner.withPropertyValues("leader.candidate.start=context").run((context) -> {
		});
		this.contextRunner.withPropertyValues("leader.candidate.start=manual").run((context) -> {
		});
		this.contextRunner.run((context) -> {
		});
		assertThat(lines(output)).satisfiesExactly((line) -> assertThat(line).endsWith("from now on"),
				(line) -> assertThat(line).endsWith("once it is resumed (leader.candidate.start=manual)"),
				(line) -> assertThat(line).endsWith("when the application is ready"));
	}

	@Test
	void nameThatNoRoleHasIsWarnedOfOnceWithTheClosestRole(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("leader.roles.invoice.priority=5", "leader.roles.Reports.priority=5",
					"leader.roles.backup.candidate=true")
			.run((context) -> {
			});
		assertThat(output.getAll().lines().filter((line) -> line.contains("leader.roles."))).satisfiesExactly(
				(line) -> assertThat(line).contains("WARN")
					.endsWith(
							"leader.roles.backup is set, but this application has not joined a role 'backup'. Remove it if there is no such role"),
				(line) -> assertThat(line).contains("WARN")
					.endsWith(
							"leader.roles.invoice is set, but this application has not joined a role 'invoice'. Did you mean 'invoices'?"));
	}

	@Test
	void fewOfManyRolesAreNamed(CapturedOutput output) {
		TestContexts.local().run((context) -> {
		});
		TestContexts.local()
			.withPropertyValues("test.roles="
					+ IntStream.range(10, 40).mapToObj("role-%d"::formatted).collect(Collectors.joining(",")))
			.run((context) -> {
			});
		assertThat(lines(output)).satisfiesExactly((none) -> assertThat(none).endsWith("has no roles so far"),
				(many) -> assertThat(many).contains("role-10, ", "role-29] and 10 more"));
	}

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("Leader election")).toList();
	}

}
