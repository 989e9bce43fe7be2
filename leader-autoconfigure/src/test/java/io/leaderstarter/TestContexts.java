package io.leaderstarter;

import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;

import io.leaderstarter.autoconfigure.JdbcLeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderOnlyAutoConfiguration;
import io.leaderstarter.testsupport.JoinedRoles;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Contexts in which leaders are elected, and the steps that most tests need.
 */
public final class TestContexts {

	/** Lock of tests that expect errors in the log, and of those that expect none. */
	public static final String LOG = "log of io.leaderstarter";

	private TestContexts() {
	}

	/**
	 * A context over a store of its own, in which {@code @LeaderOnly} works.
	 */
	public static ApplicationContextRunner local() {
		return new ApplicationContextRunner().withInitializer(new JoinedRoles())
			.withPropertyValues("spring.application.name=test", "leader.backend=local", "leader.lease.ttl=30s")
			.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class));
	}

	/**
	 * A context over the database at the URL, which other contexts may share.
	 */
	public static ApplicationContextRunner jdbc(String url) {
		return new ApplicationContextRunner().withInitializer(new JoinedRoles())
			.withPropertyValues("spring.application.name=test", "leader.lease.ttl=30s",
					"leader.jdbc.poll-interval=50ms", "spring.datasource.url=" + url)
			.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
					JdbcLeaderAutoConfiguration.class, DataSourceAutoConfiguration.class));
	}

	/**
	 * The URL of a new database in memory that lives as long as this process, as some
	 * tests have moments without a connection.
	 */
	public static String h2() {
		return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

	/**
	 * Waits for a condition, for much longer than it should take.
	 */
	public static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10));
	}

	/**
	 * Says that the application is ready, as {@link SpringApplication} would.
	 */
	public static void ready(ApplicationContext context) {
		ConfigurableApplicationContext source = (context instanceof AssertableApplicationContext assertable)
				? assertable.getSourceApplicationContext(ConfigurableApplicationContext.class)
				: (ConfigurableApplicationContext) context;
		source.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0], source, Duration.ZERO));
	}

	/**
	 * Makes the context ready and waits until it leads the roles, or all that it joined
	 * if none is named.
	 */
	public static void lead(ApplicationContext context, String... roles) {
		ready(context);
		LeaderElections elections = context.getBean(LeaderElections.class);
		await().until(() -> {
			Stream<LeaderElection> wanted = (roles.length > 0) ? Arrays.stream(roles).map(elections::election)
					: elections.all().stream();
			return wanted.allMatch(LeaderElection::isLeader);
		});
	}

}
