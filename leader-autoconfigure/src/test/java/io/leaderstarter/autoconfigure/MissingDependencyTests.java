package io.leaderstarter.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.fencing.receiver.FencingGuard;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an application starts, and leads, without each of the dependencies that a
 * user may lack.
 */
@Order(2)
class MissingDependencyTests {

	/**
	 * Actuator and health are missing here in the tests of their auto-configurations: a
	 * class loader that filters hides the conditions of annotations that are still there.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.jdbc", "org.springframework.boot.jdbc", "com.zaxxer.hikari",
			"io.micrometer", "reactor", "org.springframework.transaction", "org.apache.curator", "io.etcd" })
	void contextStartsAndLeadsIfConditionsDoNotFind(String missing) {
		TestContexts.local()
			.withConfiguration(AutoConfigurations.of(JdbcLeaderAutoConfiguration.class,
					ZooKeeperLeaderAutoConfiguration.class, EtcdLeaderAutoConfiguration.class,
					LeaderActuatorAutoConfiguration.class, LeaderObservationAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(missing))
			.withBean(Job.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).work()).isEqualTo("done");
			});
	}

	/**
	 * A class loader that filters hides classes from conditions only: classes of this
	 * library still find them. So the jars are removed too.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "spring-jdbc|spring-boot-jdbc|spring-tx|HikariCP",
			"micrometer-(core|jakarta9)|spring-boot-micrometer-metrics",
			"spring-boot-actuator(-autoconfigure)?|spring-boot-health", "spring-boot-health",
			"spring-boot-(restclient|http-client)", "curator-.*|zookeeper.*", "jetcd-.*|grpc-.*|vertx-.*|netty-.*",
			".*jdbc|HikariCP|spring-tx|micrometer-core|.*micrometer-metrics|.*actuator.*|.*health|reactor-core" })
	void applicationStartsAndLeadsWithoutTheJars(String missing) throws Exception {
		assertThat(runWithout(missing, LocalProbe.class)).isEqualTo("done");
	}

	@Test
	void applicationLeadsByItsDatabaseWithoutHikari() throws Exception {
		assertThat(runWithout("HikariCP", JdbcProbe.class)).isEqualTo("done");
	}

	@Test
	void receiverOfEpochsNeedsNeitherSpringNorADatabase() throws Exception {
		assertThat(runWithout("spring-.*|HikariCP", GuardProbe.class)).isEqualTo("refused");
	}

	@Test
	void jarsAreReallyTakenAway() throws Exception {
		assertThat(System.getProperty("java.class.path")).contains("HikariCP");
		try (URLClassLoader loader = classPathWithout("HikariCP")) {
			assertThat(loader.getResource("com/zaxxer/hikari/HikariDataSource.class")).isNull();
			assertThat(loader.getResource("org/springframework/jdbc/core/JdbcTemplate.class")).isNotNull();
		}
	}

	@Test
	void loaderThatIsClosedLeavesJarsOfTheJvmOpen() throws Exception {
		String name = "org/springframework/jdbc/core/JdbcTemplate.class";
		try (InputStream other = getClass().getClassLoader().getResourceAsStream(name)) {
			try (URLClassLoader loader = classPathWithout("HikariCP");
					InputStream own = loader.getResourceAsStream(name)) {
				assertThat(own).isNotNull();
			}
			assertThat(other.readAllBytes()).isNotEmpty();
		}
	}

	private static Object runWithout(String missing, Class<?> probeType) throws Exception {
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = classPathWithout(missing)) {
			Thread.currentThread().setContextClassLoader(loader);
			Callable<?> probe = (Callable<?>) loader.loadClass(probeType.getName())
				.getDeclaredConstructor()
				.newInstance();
			return probe.call();
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	/**
	 * All that is on the class path but the jars whose names, up to the version, match.
	 */
	private static URLClassLoader classPathWithout(String missing) throws IOException {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !Path.of(entry).getFileName().toString().matches("(" + missing + ")-\\d.*\\.jar"))
			.map(MissingDependencyTests::toUrl)
			.toArray(URL[]::new);
		return new OwnJarsClassLoader(urls);
	}

	private static URL toUrl(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A whole application, loaded by the class loader that lacks something.
	 */
	abstract static class Probe implements Callable<String> {

		private final String backend;

		private final Class<?>[] sources;

		Probe(String backend, Class<?>... sources) {
			this.backend = backend;
			this.sources = sources;
		}

		@Override
		public String call() {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(this.sources)
				.web(WebApplicationType.NONE)
				.properties("spring.application.name=test", "leader.backend=" + this.backend,
						"spring.main.banner-mode=off", "logging.level.root=off",
						"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
				.run()) {
				TestContexts.await().until(() -> context.getBean(LeaderElections.class).election("duty").isLeader());
				return context.getBean(Job.class).work();
			}
		}

	}

	/** Without a database. */
	public static class LocalProbe extends Probe {

		public LocalProbe() {
			super("local", Application.class);
		}

	}

	/** With a database. */
	public static class JdbcProbe extends Probe {

		public JdbcProbe() {
			super("jdbc", Application.class, Database.class);
		}

	}

	/** A service that only refuses what earlier leaders send. */
	public static class GuardProbe implements Callable<String> {

		@Override
		public String call() {
			FencingGuard guard = new FencingGuard();
			guard.check("duty", 8);
			try {
				guard.check("duty", 7);
				return "accepted";
			}
			catch (StaleLeaderException ex) {
				return "refused";
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		DataSource dataSource() {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setURL(TestContexts.h2());
			return dataSource;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Job.class)
	static class Application {

	}

	/** Public, as its proxy is made by another class loader in some tests. */
	public static class Job {

		@LeaderOnly("duty")
		public String work() {
			return "done";
		}

	}

	/**
	 * Opens jars for itself. Those that the JVM caches are shared with all other class
	 * loaders, and a {@link URLClassLoader} that has read from one closes it under them.
	 */
	private static final class OwnJarsClassLoader extends URLClassLoader {

		private OwnJarsClassLoader(URL[] urls) {
			super(urls, ClassLoader.getPlatformClassLoader());
		}

		@Override
		public InputStream getResourceAsStream(String name) {
			URL url = getResource(name);
			if (url == null) {
				return null;
			}
			try {
				URLConnection connection = url.openConnection();
				connection.setUseCaches(false);
				return connection.getInputStream();
			}
			catch (IOException ex) {
				return null;
			}
		}

	}

}
