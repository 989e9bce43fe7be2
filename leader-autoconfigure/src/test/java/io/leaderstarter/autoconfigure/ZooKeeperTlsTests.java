package io.leaderstarter.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.TestKey;
import io.leaderstarter.testsupport.TlsZooKeeper;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ZooKeeperLeaderAutoConfiguration} with a server that speaks TLS and
 * asks for certificates.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class ZooKeeperTlsTests {

	/** Short, as most tests wait for its end. */
	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

	/** For those that are to be connected. */
	private static final StartTimeout PATIENT = new StartTimeout(Duration.ofSeconds(20));

	/** A few seconds, and many more for a machine that has much to do. */
	private static final Duration SOON = CONNECTION_TIMEOUT.plusSeconds(25);

	@TempDir
	private static Path folder;

	private static TestKey server;

	private static TestKey client;

	private static TestKey stranger;

	private static TlsZooKeeper zooKeeper;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withInitializer(new StartTimeout(CONNECTION_TIMEOUT))
		.withPropertyValues("spring.application.name=test", "leader.lease.ttl=4s", "test.roles=duty",
				"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms",
				"leader.zookeeper.base-path=/tls-" + UUID.randomUUID())
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, ZooKeeperLeaderAutoConfiguration.class,
				SslAutoConfiguration.class));

	private final ApplicationContextRunner secure = this.contextRunner.withPropertyValues(
			"leader.zookeeper.connect-string=localhost:" + zooKeeper.securePort(), "leader.zookeeper.ssl.bundle=zoo");

	@BeforeAll
	static void start() throws Exception {
		server = new TestKey(folder, "server");
		client = new TestKey(folder, "client");
		stranger = new TestKey(folder, "stranger");
		zooKeeper = new TlsZooKeeper(server, client.trustStore());
	}

	@AfterAll
	static void stop() {
		zooKeeper.close();
	}

	@Test
	void bundleOfStoresIsUsed() throws Exception {
		this.secure.withPropertyValues(keys(client))
			.withPropertyValues(trusting(server))
			.withInitializer(PATIENT)
			.run((context) -> {
				TestContexts.lead(context, "duty");
				assertThat(keyFolders()).hasSize(1);
			});
		assertThat(keyFolders()).isEmpty();
	}

	@Test
	void bundleOfTextsIsUsed() throws Exception {
		Path certificate = Files.writeString(folder.resolve("client.crt"), client.certificate());
		Path key = Files.writeString(folder.resolve("client.key"), client.privateKey());
		Path trusted = Files.writeString(folder.resolve("server.crt"), server.certificate());
		this.secure.withInitializer(PATIENT)
			.withPropertyValues("spring.ssl.bundle.pem.zoo.keystore.certificate=file:" + certificate,
					"spring.ssl.bundle.pem.zoo.keystore.private-key=file:" + key,
					"spring.ssl.bundle.pem.zoo.truststore.certificate=file:" + trusted,
					"spring.ssl.bundle.pem.zoo.options.enabled-protocols=TLSv1.3")
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	@Test
	void bundleOfTheConnectionDetailsIsUsed() throws Exception {
		SslBundle bundle = bundle(client, server);
		this.secure.withInitializer(PATIENT)
			.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details(zooKeeper, () -> bundle))
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	@Test
	void bundleIsNotTakenFromPropertiesIfConnectionDetailsHaveNone() throws Exception {
		this.secure.withPropertyValues(keys(client))
			.withPropertyValues(trusting(server))
			.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details(zooKeeper, () -> null))
			.run(failedSoon("did not speak the ZooKeeper protocol",
					"or let the ZooKeeperLeaderConnectionDetails bean"));
	}

	@Test
	void bundleOfTheConnectionDetailsThatCannotBeUsedIsNamed() {
		SslBundle absent = SslBundle
			.of(new JksSslStoreBundle(null, JksSslStoreDetails.forLocation("file:" + folder.resolve("absent.p12"))));
		this.contextRunner.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details(zooKeeper, () -> absent))
			.run(failedSoon("The bundle of ZooKeeperLeaderConnectionDetails.getSslBundle() cannot be used",
					"its files must be there and readable"));
	}

	@Test
	void connectionsKeepToTlsIfTheBundleOfTheConnectionDetailsIsTakenAway() throws Exception {
		AtomicReference<SslBundle> present = new AtomicReference<>(bundle(client, server));
		Supplier<ZooKeeperTls> keys = NamedSslBundle.reloading("test", present::get,
				ZooKeeperLeaderAutoConfiguration::tls);
		ZooKeeperTls first = keys.get();
		assertThat(first.trustStore()).isNotNull();
		assertThat(keys.get()).isSameAs(first);
		present.set(null);
		assertThat(keys.get().trustStore()).isNull();
		assertThat(keys.get()).isSameAs(keys.get());
	}

	@Test
	@Tag("verify")
	void bundleOfTheConnectionDetailsIsReadForEachConnection() throws Exception {
		TestKey first = new TestKey(folder, "first");
		TestKey next = new TestKey(folder, "next");
		Path trusted = first.trustStore();
		AtomicReference<SslBundle> present = new AtomicReference<>(bundle(first, server));
		try (TlsZooKeeper own = new TlsZooKeeper(server, trusted)) {
			this.contextRunner.withInitializer(PATIENT)
				.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details(own, present::get))
				.run((context) -> {
					TestContexts.lead(context, "duty");
					own.kill();
					AtomicInteger answered = new AtomicInteger();
					context.getBean(DefaultLeaderElections.class)
						.addRequestListener((request, took, success) -> answered.addAndGet(success ? 1 : 0));
					// From now on ZooKeeper trusts no other client.
					Files.copy(next.trustStore(), trusted, StandardCopyOption.REPLACE_EXISTING);
					own.start();
					present.set(bundle(next, server));
					TestContexts.await().until(() -> answered.get() >= 3);
					TestContexts.lead(context, "duty");
				});
		}
	}

	@Test
	void serverThatIsNotTrustedIsNamed() throws Exception {
		this.secure.withPropertyValues(keys(client))
			.withPropertyValues(trusting(stranger))
			.run(failedSoon("certificate of ZooKeeper at localhost:%d is not trusted".formatted(zooKeeper.securePort()),
					"Add the authority that signed it to the trust store"));
	}

	@Test
	void missingCertificateIsNamed() throws Exception {
		this.secure.withPropertyValues(trusting(server))
			.run(failedSoon("asks for a certificate, and this application has none",
					"Add a key store with a key and a certificate"));
	}

	@Test
	void certificateThatTheServerDoesNotTrustIsNamed() throws Exception {
		this.secure.withPropertyValues(keys(stranger))
			.withPropertyValues(trusting(server))
			.run(failedSoon("does not accept the certificate of this application",
					"Let the servers trust the authority"));
	}

	@Test
	void portWithoutTlsIsNamed() throws Exception {
		this.secure.withPropertyValues(keys(client))
			.withPropertyValues(trusting(server))
			.withPropertyValues("leader.zookeeper.connect-string=localhost:" + zooKeeper.plainPort())
			.run(failedSoon("did not speak TLS", "secureClientPort"));
	}

	@Test
	void portWithTlsIsNamedToThoseWithoutABundle() {
		this.contextRunner.withPropertyValues("leader.zookeeper.connect-string=localhost:" + zooKeeper.securePort())
			.run(failedSoon("did not speak the ZooKeeper protocol", "set leader.zookeeper.ssl.bundle"));
	}

	@Test
	void bundleThatIsNotThereIsNamed() {
		this.secure.run(failedSoon("leader.zookeeper.ssl.bundle is 'zoo', but there is no such SSL bundle",
				"Set spring.ssl.bundle.pem.zoo"));
	}

	@Test
	void storeThatIsNotThereIsNamed() {
		this.secure
			.withPropertyValues("spring.ssl.bundle.jks.zoo.keystore.location=file:" + folder.resolve("absent.p12"),
					"spring.ssl.bundle.jks.zoo.keystore.type=PKCS12")
			.run(failedSoon("absent.p12", "its files must be there and readable"));
		this.secure
			.withPropertyValues("spring.ssl.bundle.pem.zoo.truststore.certificate=file:" + folder.resolve("absent.pem"))
			.run(failedSoon("absent.pem", "its files must be there and readable"));
	}

	@Test
	void wrongPasswordOfAStoreIsNamed() throws Exception {
		this.secure.withPropertyValues(keys(client))
			.withPropertyValues("spring.ssl.bundle.jks.zoo.keystore.password=wrong")
			.run(failedSoon("The bundle of leader.zookeeper.ssl.bundle cannot be used",
					"its passwords the right ones"));
	}

	@Test
	void bundleIsRefusedBesideAClientBean() {
		this.contextRunner.withPropertyValues("leader.zookeeper.ssl.bundle=zoo")
			.withBean(CuratorFramework.class, () -> mock(CuratorFramework.class))
			.run(failedSoon("the connections of a CuratorFramework bean are used",
					"Set leader.zookeeper.connect-string."));
	}

	@Test
	@Tag("verify")
	void clientBeanMayStartWithoutAMajority(CapturedOutput output) throws Exception {
		try (TlsZooKeeper lonely = TlsZooKeeper.withoutMajority(server, client.trustStore())) {
			withClient(lonely.securePort(), client, server).run((context) -> assertThat(context).hasNotFailed());
			assertThat(output)
				.contains("There is no majority of the ZooKeeper servers that the CuratorFramework bean is for");
		}
	}

	@Test
	@Tag("verify")
	void problemsOfAClientBeanAreReportedForThatBean() throws Exception {
		withClient(zooKeeper.securePort(), client, stranger)
			.run(failedSoon("that the CuratorFramework bean is for is not trusted",
					"the trust store of the ZKClientConfig of the CuratorFramework bean"));
		withClient(zooKeeper.securePort(), stranger, server)
			.run(failedSoon("does not accept the certificate of this application",
					"in the ZKClientConfig of the CuratorFramework bean"));
		withClient(zooKeeper.plainPort(), client, server)
			.run(failedSoon("did not speak TLS", "remove zookeeper.client.secure from the ZKClientConfig of the bean"));
		this.contextRunner.withBean(CuratorFramework.class, () -> client(zooKeeper.securePort(), new ZKClientConfig()))
			.run(failedSoon("did not speak the ZooKeeper protocol",
					"give the CuratorFramework bean a ZKClientConfig for TLS"));
	}

	private static ZooKeeperLeaderConnectionDetails details(TlsZooKeeper server, Supplier<@Nullable SslBundle> bundle) {
		return new ZooKeeperLeaderConnectionDetails() {

			@Override
			public String getConnectString() {
				return "localhost:" + server.securePort();
			}

			@Override
			public @Nullable SslBundle getSslBundle() {
				return bundle.get();
			}

		};
	}

	private static SslBundle bundle(TestKey own, TestKey trusted) throws Exception {
		return SslBundle.of(new JksSslStoreBundle(details(own.store()), details(trusted.trustStore())));
	}

	private static JksSslStoreDetails details(Path store) {
		return new JksSslStoreDetails("PKCS12", null, "file:" + store, TestKey.PASSWORD);
	}

	private ApplicationContextRunner withClient(int port, TestKey own, TestKey trusted) throws Exception {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		config.setProperty("zookeeper.ssl.keyStore.location", own.store().toString());
		config.setProperty("zookeeper.ssl.keyStore.password", TestKey.PASSWORD);
		config.setProperty("zookeeper.ssl.trustStore.location", trusted.trustStore().toString());
		config.setProperty("zookeeper.ssl.trustStore.password", TestKey.PASSWORD);
		return this.contextRunner.withBean(CuratorFramework.class, () -> client(port, config));
	}

	private static CuratorFramework client(int port, ZKClientConfig config) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString("localhost:" + port)
			.retryPolicy(new RetryOneTime(1))
			.zkClientConfig(config)
			.build();
		client.start();
		return client;
	}

	private static ContextConsumer<AssertableApplicationContext> failedSoon(String description, String advice) {
		Moment begin = TimeSource.SYSTEM.now();
		return (context) -> {
			ZooKeeperLeaderAutoConfigurationTests.failed(description, advice).accept(context);
			assertThat(TimeSource.SYSTEM.now().since(begin)).isLessThan(SOON);
			assertThat(keyFolders()).isEmpty();
		};
	}

	private static String[] keys(TestKey key) {
		return new String[] { "spring.ssl.bundle.jks.zoo.keystore.location=file:" + key.store(),
				"spring.ssl.bundle.jks.zoo.keystore.type=PKCS12",
				"spring.ssl.bundle.jks.zoo.keystore.password=" + TestKey.PASSWORD };
	}

	private static String[] trusting(TestKey key) throws Exception {
		return new String[] { "spring.ssl.bundle.jks.zoo.truststore.location=file:" + key.trustStore(),
				"spring.ssl.bundle.jks.zoo.truststore.type=PKCS12",
				"spring.ssl.bundle.jks.zoo.truststore.password=" + TestKey.PASSWORD };
	}

	/** What is there of the keys that were handed to the client. */
	private static List<Path> keyFolders() throws Exception {
		String prefix = "leader-tls-%d-".formatted(ProcessHandle.current().pid());
		try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
			return files.filter((file) -> file.getFileName().toString().startsWith(prefix)).toList();
		}
	}

}
