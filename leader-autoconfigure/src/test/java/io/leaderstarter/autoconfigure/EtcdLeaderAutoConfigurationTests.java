package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.testsupport.Certificate;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.JoinedRoles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.util.TestSocketUtils;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EtcdLeaderAutoConfiguration}: which etcd is used, and the messages if
 * it cannot be used.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class EtcdLeaderAutoConfigurationTests {

	private final String prefix = "/auto/" + UUID.randomUUID();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withPropertyValues("spring.application.name=test", "leader.lease.ttl=4s", "test.roles=duty",
				"leader.etcd.key-prefix=" + this.prefix)
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, EtcdLeaderAutoConfiguration.class,
				JdbcLeaderAutoConfiguration.class, SslAutoConfiguration.class));

	private final ApplicationContextRunner connected = this.contextRunner
		.withPropertyValues("leader.etcd.endpoints=" + String.join(",", EtcdCluster.shared().endpoints()));

	@Test
	void endpointsAreEnough() {
		this.connected.run((context) -> {
			assertThat(backend(context)).isEqualTo("etcd");
			assertThat(context.getBean(DefaultLeaderElections.class).store().location())
				.isEqualTo(String.join(",", EtcdCluster.shared().addresses()));
			TestContexts.lead(context, "duty");
		});
	}

	@Test
	void endpointsMayBeAListWithoutSchemes() {
		this.contextRunner
			.withPropertyValues("leader.etcd.endpoints[0]=" + EtcdCluster.shared().addresses().get(0),
					"leader.etcd.endpoints[1]=" + EtcdCluster.shared().addresses().get(1))
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	@Test
	void endpointsMayBeAddressesOfVersion6() throws Exception {
		try (FaultProxy proxy = new FaultProxy(InetAddress.getByName("::1"), EtcdCluster.shared().ports().get(0))) {
			for (String scheme : List.of("http://", "")) {
				this.contextRunner
					.withPropertyValues("leader.etcd.endpoints=%s[::1]:%d".formatted(scheme, proxy.port()))
					.run((context) -> TestContexts.lead(context, "duty"));
			}
		}
	}

	@Test
	void connectionDetailsAreEnoughAndPreferred() {
		this.contextRunner.withPropertyValues("leader.etcd.endpoints=http://localhost:1")
			.withBean(EtcdLeaderConnectionDetails.class, () -> EtcdCluster.shared()::endpoints)
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	@Test
	void usersClientIsUsedAndLeftOpen() throws Exception {
		try (Client client = EtcdCluster.shared().client()) {
			this.contextRunner.withBean(Client.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> TestContexts.lead(context, "duty"));
			assertThat(client.getKVClient().get(bytes(this.prefix + "/test/roles/duty/epoch")).get().getKvs())
				.hasSize(1);
		}
	}

	@Test
	void severalClientsAreTooMany() {
		try (Client one = EtcdCluster.shared().client(); Client other = EtcdCluster.shared().client()) {
			this.contextRunner.withBean("one", Client.class, () -> one)
				.withBean("other", Client.class, () -> other)
				.run(failed("several Client (jetcd) beans", "@Primary", "leader.etcd.endpoints"));
		}
	}

	@Test
	void propertiesThatAClientBeanWouldIgnoreAreRefused() {
		ApplicationContextRunner runner = this.contextRunner.withBean(Client.class,
				() -> EtcdCluster.shared().client());
		runner.withPropertyValues("leader.etcd.username=me", "leader.etcd.password=right")
			.run(failed("leader.etcd.username is set, but the connections of a Client bean are used",
					"Give the Client bean its user"));
		runner.withPropertyValues("leader.etcd.password=right")
			.run(failed("leader.etcd.password is set, but the connections of a Client bean are used",
					"remove leader.etcd.username and leader.etcd.password"));
		runner.withPropertyValues("leader.etcd.ssl.bundle=any")
			.run(failed("leader.etcd.ssl.bundle is set, but the connections of a Client bean are used",
					"Set leader.etcd.endpoints."));
	}

	@Test
	void etcdThatIsNotUsedMayBeWrong() {
		ApplicationContextRunner elsewhere = this.contextRunner.withPropertyValues("leader.backend=local");
		elsewhere
			.withPropertyValues("leader.etcd.endpoints=ftp://a:1", "leader.etcd.key-prefix=/",
					"leader.etcd.username=me")
			.run((context) -> assertThat(backend(context)).isEqualTo("local"));
		try (Client one = EtcdCluster.shared().client(); Client other = EtcdCluster.shared().client()) {
			elsewhere.withBean("one", Client.class, () -> one)
				.withBean("other", Client.class, () -> other)
				.run((context) -> assertThat(backend(context)).isEqualTo("local"));
		}
	}

	/** A placeholder for what is not set leaves that behind. */
	@Test
	void blankEndpointsAreNone() {
		for (String blank : List.of("", " ", ", ,")) {
			ApplicationContextRunner nothing = this.contextRunner.withPropertyValues("leader.etcd.endpoints=" + blank);
			nothing.run(failed("Leader election has no backend", "leader.etcd.endpoints"));
			nothing.withBean(Client.class, () -> EtcdCluster.shared().client())
				.run((context) -> TestContexts.lead(context, "duty"));
		}
		this.contextRunner.withBean(EtcdLeaderConnectionDetails.class, () -> () -> List.of(" "))
			.run(failed("backend etcd, but no servers are configured", "Set leader.etcd.endpoints.",
					"Add a Client (jetcd) bean"));
		this.contextRunner
			.withPropertyValues("leader.etcd.endpoints=," + EtcdCluster.shared().endpoints().get(0) + ", ")
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	/** A placeholder for what is not set leaves that behind. */
	@Test
	void blankUserAndBundleAreNone() {
		for (String blank : List.of("", " ")) {
			ApplicationContextRunner runner = this.contextRunner.withPropertyValues("leader.etcd.username=" + blank,
					"leader.etcd.password=" + blank, "leader.etcd.ssl.bundle=" + blank);
			runner.withPropertyValues("leader.etcd.endpoints=" + String.join(",", EtcdCluster.shared().endpoints()))
				.run((context) -> TestContexts.lead(context, "duty"));
			runner.withBean(Client.class, () -> EtcdCluster.shared().client())
				.run((context) -> TestContexts.lead(context, "duty"));
			runner
				.withPropertyValues("leader.etcd.endpoints=" + EtcdCluster.shared().endpoints().get(0),
						"leader.etcd.username=me")
				.run(failed("username without a password", "leader.etcd.password"));
		}
	}

	@Test
	void nothingIsThereWithoutAnAddressOrAClient() {
		this.contextRunner.withPropertyValues("leader.backend=etcd")
			.run(failed("leader.backend is 'etcd', which is not available", "leader.etcd.endpoints"));
	}

	@Test
	void besideADataSourceTheBackendMustBeNamed() {
		ApplicationContextRunner both = this.connected.withPropertyValues("spring.datasource.url=" + TestContexts.h2())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
		both.run(failed("several backends to choose from", "Set leader.backend=etcd."));
		both.withPropertyValues("leader.backend=etcd").run((context) -> assertThat(backend(context)).isEqualTo("etcd"));
	}

	@Test
	void deadEndpointIsNamed() {
		int dead = TestSocketUtils.findAvailableTcpPort();
		this.contextRunner.withPropertyValues("leader.etcd.endpoints=http://localhost:" + dead)
			.run(failed("no answer from etcd at localhost:" + dead, "check leader.etcd.endpoints"));
	}

	@Test
	void endpointThatIsSilentIsNamed() throws IOException {
		try (ServerSocket silent = new ServerSocket(0)) {
			this.contextRunner.withInitializer(new StartTimeout(Duration.ofSeconds(1)))
				.withPropertyValues("leader.etcd.endpoints=localhost:" + silent.getLocalPort())
				.run(failed("no answer from etcd at localhost:" + silent.getLocalPort(),
						"check leader.etcd.endpoints"));
		}
	}

	@Test
	void oneEndpointOfSeveralIsEnough() throws IOException {
		try (ServerSocket silent = new ServerSocket(0)) {
			this.contextRunner
				.withPropertyValues("leader.etcd.endpoints=localhost:1,localhost:%d,%s".formatted(silent.getLocalPort(),
						EtcdCluster.shared().addresses().get(0)))
				.run((context) -> TestContexts.lead(context, "duty"));
		}
	}

	@Test
	void wrongPropertiesAreNamed() {
		this.connected.withPropertyValues("leader.etcd.key-prefix=/leader/")
			.run(failed("leader.etcd.key-prefix cannot be used", "Correct leader.etcd.key-prefix"));
		this.connected.withPropertyValues("leader.etcd.username=me")
			.run(failed("username without a password", "leader.etcd.password"));
		this.connected.withPropertyValues("leader.lease.ttl=1s")
			.run(failed("shorter than the etcd backend can keep (2s)", "at least 2s"));
		for (String wrong : List.of("ftp://a:1", "http://", "a b", "http://a:1/path", "http://a:1,https://b:1")) {
			this.contextRunner.withPropertyValues("leader.etcd.endpoints=" + wrong)
				.run(failed("leader.etcd.endpoints cannot be used", "Correct leader.etcd.endpoints"));
		}
	}

	@Test
	void versionThatLosesLeasesIsWarnedAbout(CapturedOutput output) throws Exception {
		String version = EtcdCluster.shared().version();
		this.connected.run((context) -> {
			TestContexts.lead(context, "duty");
			if (version.matches("3\\.4\\.([12]?\\d|30)")) {
				TestContexts.await()
					.until(() -> output.toString()
						.contains("has version %s, which may revoke leases".formatted(version)));
			}
		});
		assertThat(output.toString().contains("which may revoke leases"))
			.isEqualTo(version.matches("3\\.4\\.([12]?\\d|30)"));
	}

	@Test
	void userIsNeededAndMustBeTheRightOneIfEtcdHasUsers() throws Exception {
		// What proves that the user is known lasts for a second only.
		try (EtcdCluster own = EtcdCluster.with("--auth-token-ttl", "1")) {
			enableUsers(own);
			ApplicationContextRunner runner = this.contextRunner
				.withPropertyValues("leader.etcd.endpoints=" + own.endpoints().get(0));
			runner.run(failed("requires authentication, but no user is set", "leader.etcd.username"));
			ApplicationContextRunner user = runner.withPropertyValues("leader.etcd.username=me");
			user.withPropertyValues("leader.etcd.password=wrong")
				.run(failed("does not accept the user or the password", "leader.etcd.username"));
			user.withPropertyValues("leader.etcd.password=right", "leader.lease.ttl=1m",
					"leader.lease.renew-interval=1s")
				.run((context) -> {
					TestContexts.lead(context, "duty");
					assertThatTermGoesOn(context);
				});
			user.withPropertyValues("leader.etcd.password=right", "leader.etcd.key-prefix=/elsewhere")
				.run(failed("denies this application access to /elsewhere/test/", "readwrite",
						"leader.etcd.key-prefix"));
			user.withPropertyValues("leader.etcd.password=right", "leader.etcd.key-prefix=/readonly")
				.run(failed("denies this application access to /readonly/test/", "readwrite",
						"leader.etcd.key-prefix"));
		}
	}

	@Test
	void userComesFromTheConnectionDetailsOnly() throws Exception {
		try (EtcdCluster own = EtcdCluster.with("--auth-token-ttl", "1")) {
			enableUsers(own);
			this.contextRunner.withPropertyValues("leader.etcd.username=other", "leader.etcd.ssl.bundle=none")
				.withBean(EtcdLeaderConnectionDetails.class, () -> details(own, "me", "right", null))
				.run((context) -> TestContexts.lead(context, "duty"));
			for (String none : Arrays.asList(null, "", " ")) {
				this.contextRunner.withPropertyValues("leader.etcd.username=me", "leader.etcd.password=right")
					.withBean(EtcdLeaderConnectionDetails.class, () -> details(own, none, none, null))
					.run(failed("no user is set", "let the EtcdLeaderConnectionDetails bean"));
			}
		}
	}

	@Test
	void wrongConnectionDetailsAreNamed(@TempDir Path folder) {
		Certificate any = Certificate.make(folder, "any");
		this.contextRunner
			.withBean(EtcdLeaderConnectionDetails.class, () -> details(EtcdCluster.shared(), " ", "right", null))
			.run(failed("EtcdLeaderConnectionDetails has a password without a username",
					"Let EtcdLeaderConnectionDetails return both, or none"));
		this.contextRunner.withBean(EtcdLeaderConnectionDetails.class, () -> () -> List.of("ftp://a:1"))
			.run(failed("EtcdLeaderConnectionDetails.getEndpoints() cannot be used",
					"Correct EtcdLeaderConnectionDetails.getEndpoints()."));
		this.contextRunner
			.withBean(EtcdLeaderConnectionDetails.class,
					() -> details(EtcdCluster.shared(), null, null, bundle(any, any)))
			.run(failed("EtcdLeaderConnectionDetails.getSslBundle() is set, but",
					"Correct EtcdLeaderConnectionDetails.getEndpoints()."));
	}

	@Test
	void userIsNotWantedIfEtcdHasNone() {
		this.connected.withPropertyValues("leader.etcd.username=me", "leader.etcd.password=any")
			.run(failed("authentication is not enabled there", "Remove leader.etcd.username"));
	}

	@Test
	void certificatesComeFromTheBundle(@TempDir Path folder) {
		Certificate server = Certificate.make(folder, "server");
		Certificate client = Certificate.make(folder, "client");
		try (EtcdCluster own = EtcdCluster.speakingTls("--cert-file", server.certificate().toString(), "--key-file",
				server.key().toString(), "--client-cert-auth", "--trusted-ca-file", client.certificate().toString())) {
			ApplicationContextRunner runner = this.contextRunner
				.withPropertyValues("leader.etcd.endpoints=" + own.endpoints().get(0));
			ApplicationContextRunner trusting = runner.withPropertyValues("leader.etcd.ssl.bundle=etcd",
					"spring.ssl.bundle.pem.etcd.truststore.certificate=" + server.certificate().toUri());
			trusting
				.withPropertyValues("spring.ssl.bundle.pem.etcd.keystore.certificate=" + client.certificate().toUri(),
						"spring.ssl.bundle.pem.etcd.keystore.private-key=" + client.key().toUri())
				.run((context) -> TestContexts.lead(context, "duty"));
			// It may close the connection before the reason is read.
			trusting.run(failed("etcd at 127.0.0.1", "requires certificates of its clients", "leader.etcd.ssl.bundle"));
			runner.run(failed("The certificate of etcd at 127.0.0.1", "trust store of leader.etcd.ssl.bundle"));
			this.contextRunner.withPropertyValues("leader.etcd.endpoints=" + own.addresses().get(0))
				.run(failed("no answer from etcd at 127.0.0.1", "check whether it speaks TLS"));
		}
	}

	@Test
	void certificatesComeFromTheBundleOfTheConnectionDetailsOnly(@TempDir Path folder) {
		Certificate server = Certificate.make(folder, "server");
		Certificate client = Certificate.make(folder, "client");
		try (EtcdCluster own = EtcdCluster.speakingTls("--cert-file", server.certificate().toString(), "--key-file",
				server.key().toString(), "--client-cert-auth", "--trusted-ca-file", client.certificate().toString())) {
			this.contextRunner.withPropertyValues("leader.etcd.ssl.bundle=none")
				.withBean(EtcdLeaderConnectionDetails.class, () -> details(own, null, null, bundle(server, client)))
				.run((context) -> TestContexts.lead(context, "duty"));
			this.contextRunner
				.withPropertyValues("leader.etcd.ssl.bundle=etcd",
						"spring.ssl.bundle.pem.etcd.truststore.certificate=" + server.certificate().toUri(),
						"spring.ssl.bundle.pem.etcd.keystore.certificate=" + client.certificate().toUri(),
						"spring.ssl.bundle.pem.etcd.keystore.private-key=" + client.key().toUri())
				.withBean(EtcdLeaderConnectionDetails.class, () -> details(own, null, null, null))
				.run(failed("The certificate of etcd at 127.0.0.1", "trust store"));
		}
	}

	@Test
	@Tag("verify")
	void reloadedBundleCountsForNewConnections(@TempDir Path folder) {
		Certificate server = Certificate.make(folder, "server");
		Certificate client = Certificate.make(folder, "client");
		Certificate next = Certificate.make(folder, "next");
		try (EtcdCluster own = EtcdCluster.speakingTls("--cert-file", server.certificate().toString(), "--key-file",
				server.key().toString(), "--client-cert-auth", "--trusted-ca-file", client.certificate().toString())) {
			this.contextRunner
				.withPropertyValues("leader.etcd.endpoints=" + own.endpoints().get(0), "leader.etcd.ssl.bundle=etcd",
						"spring.ssl.bundle.pem.etcd.truststore.certificate=" + server.certificate().toUri(),
						"spring.ssl.bundle.pem.etcd.keystore.certificate=" + client.certificate().toUri(),
						"spring.ssl.bundle.pem.etcd.keystore.private-key=" + client.key().toUri())
				.run((context) -> {
					TestContexts.lead(context, "duty");
					own.kill(0);
					AtomicInteger answered = new AtomicInteger();
					context.getBean(DefaultLeaderElections.class)
						.addRequestListener((request, took, success) -> answered.addAndGet(success ? 1 : 0));
					// From now on etcd trusts no other client.
					Files.copy(next.certificate(), client.certificate(), StandardCopyOption.REPLACE_EXISTING);
					own.start();
					context.getBean(SslBundleRegistry.class).updateBundle("etcd", bundle(server, next));
					TestContexts.await().until(() -> answered.get() >= 3);
					TestContexts.lead(context, "duty");
				});
		}
	}

	@Test
	void bundleThatCannotBeUsedIsNamed(@TempDir Path folder) {
		Certificate.make(folder, "client");
		ApplicationContextRunner runner = this.contextRunner
			.withPropertyValues("leader.etcd.endpoints=https://localhost:1", "leader.etcd.ssl.bundle=etcd");
		runner.run(failed("leader.etcd.ssl.bundle is 'etcd', but there is no such SSL bundle",
				"Set spring.ssl.bundle.pem.etcd"));
		runner
			.withPropertyValues("spring.ssl.bundle.jks.etcd.truststore.location=file:" + folder.resolve("absent.p12"),
					"spring.ssl.bundle.jks.etcd.truststore.type=PKCS12")
			.run(failed("absent.p12", "its files must be there and readable"));
		runner
			.withPropertyValues(
					"spring.ssl.bundle.pem.etcd.truststore.certificate=file:" + folder.resolve("absent.pem"))
			.run(failed("absent.pem", "its files must be there and readable"));
		runner.withPropertyValues("spring.ssl.bundle.jks.etcd.keystore.location=file:" + folder.resolve("client.p12"),
				"spring.ssl.bundle.jks.etcd.keystore.type=PKCS12", "spring.ssl.bundle.jks.etcd.keystore.password=wrong")
			.run(failed("The bundle of leader.etcd.ssl.bundle cannot be used", "its passwords the right ones"));
	}

	@Test
	void etcdThatDoesNotSpeakTlsIsNamed() {
		this.contextRunner
			.withPropertyValues("leader.etcd.endpoints=https://" + EtcdCluster.shared().addresses().get(0))
			// It may close the connection before the reason is read.
			.run(failed("etcd at 127.0.0.1", "speak", "TLS"));
	}

	@Test
	void bundleAndPlainEndpointsContradict(@TempDir Path folder) {
		Certificate any = Certificate.make(folder, "any");
		this.connected
			.withPropertyValues("leader.etcd.ssl.bundle=etcd",
					"spring.ssl.bundle.pem.etcd.truststore.certificate=" + any.certificate().toUri())
			.run(failed("leader.etcd.ssl.bundle is set, but", "Correct leader.etcd.endpoints"));
	}

	@Test
	void databaseIsFencedByTheEpochsOfEtcd() {
		this.connected
			.withPropertyValues("leader.backend=etcd", "leader.lease.ttl=1m",
					"spring.datasource.url=" + TestContexts.h2())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class))
			.withBean(Writer.class)
			.run((context) -> {
				TestContexts.lead(context, "duty");
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				jdbc.execute("create table work (name varchar(20))");
				Writer writer = context.getBean(Writer.class);
				writer.write("first");
				Leadership term = context.getBean(LeaderElections.class).election("duty").leadership().orElseThrow();
				assertThat(jdbc.queryForObject("select epoch from leader_fence", Long.class)).isEqualTo(term.epoch());
				// As a successor would, of which this node was not notified.
				jdbc.update("update leader_fence set epoch = epoch + 1, term_id = 'successor'");
				assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> writer.write("stale"));
				assertThat(jdbc.queryForList("select name from work", String.class)).containsExactly("first");
			});
	}

	private static void assertThatTermGoesOn(AssertableApplicationContext context) {
		DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
		AtomicInteger renewals = new AtomicInteger();
		elections.addRequestListener(
				(request, took, success) -> renewals.addAndGet((success && request.equals("renew")) ? 1 : 0));
		TestContexts.await().until(() -> renewals.get() >= 3);
		assertThat(elections.election("duty").isLeader()).isTrue();
		assertThat(elections.status("duty").epoch()).isOne();
	}

	/** The user "me" may write below the prefix, and read what is for reading only. */
	private void enableUsers(EtcdCluster cluster) throws Exception {
		try (Client root = cluster.client()) {
			Auth auth = root.getAuthClient();
			auth.roleAdd(bytes("root")).get();
			auth.userAdd(bytes("root"), bytes("root")).get();
			auth.userGrantRole(bytes("root"), bytes("root")).get();
			auth.roleAdd(bytes("leader")).get();
			auth.roleGrantPermission(bytes("leader"), bytes(this.prefix + "/"), bytes(this.prefix + "0"),
					Permission.Type.READWRITE)
				.get();
			auth.roleGrantPermission(bytes("leader"), bytes("/readonly/"), bytes("/readonly0"), Permission.Type.READ)
				.get();
			auth.userAdd(bytes("me"), bytes("right")).get();
			auth.userGrantRole(bytes("me"), bytes("leader")).get();
			auth.authEnable().get();
		}
	}

	private static EtcdLeaderConnectionDetails details(EtcdCluster cluster, @Nullable String username,
			@Nullable String password, @Nullable SslBundle bundle) {
		return new EtcdLeaderConnectionDetails() {

			@Override
			public List<String> getEndpoints() {
				return cluster.endpoints();
			}

			@Override
			public @Nullable String getUsername() {
				return username;
			}

			@Override
			public @Nullable String getPassword() {
				return password;
			}

			@Override
			public @Nullable SslBundle getSslBundle() {
				return bundle;
			}

		};
	}

	private static SslBundle bundle(Certificate trusted, Certificate own) {
		return SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(own.certificate().toUri().toString())
					.withPrivateKey(own.key().toUri().toString()),
				PemSslStoreDetails.forCertificate(trusted.certificate().toUri().toString())));
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	private static ContextConsumer<AssertableApplicationContext> failed(String description, String... advice) {
		return (context) -> {
			assertThat(context).hasFailed();
			var analysis = new LeaderFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(advice);
		};
	}

	private static String backend(AssertableApplicationContext context) {
		return context.getBean(DefaultLeaderElections.class).storeStatus().backend();
	}

	/** Writes under a term. */
	static class Writer {

		private final JdbcTemplate jdbc;

		Writer(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@LeaderOnly("duty")
		@Transactional
		public void write(String name) {
			this.jdbc.update("insert into work (name) values (?)", name);
		}

	}

}
