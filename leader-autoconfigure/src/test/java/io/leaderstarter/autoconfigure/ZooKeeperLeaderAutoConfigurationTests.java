package io.leaderstarter.autoconfigure;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.OldZooKeeper;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ZooKeeperLeaderAutoConfiguration}: which ZooKeeper it is, and what is
 * said if it cannot be used.
 */
class ZooKeeperLeaderAutoConfigurationTests {

	private final String basePath = "/auto/" + UUID.randomUUID();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withPropertyValues("spring.application.name=test", "leader.lease.ttl=4s", "test.roles=duty",
				"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms",
				"leader.zookeeper.base-path=" + this.basePath)
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, ZooKeeperLeaderAutoConfiguration.class,
				JdbcLeaderAutoConfiguration.class));

	private final ApplicationContextRunner connected = this.contextRunner
		.withPropertyValues("leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString());

	@Test
	void connectStringIsEnough() {
		this.connected.run((context) -> {
			assertThat(backend(context)).isEqualTo("zookeeper");
			assertThat(context.getBean(DefaultLeaderElections.class).store().location())
				.isEqualTo(ZooKeeperEnsemble.shared().connectString());
			TestContexts.lead(context, "duty");
		});
	}

	@Test
	void connectionDetailsAreEnoughAndPreferred() {
		this.contextRunner.withPropertyValues("leader.zookeeper.connect-string=localhost:1")
			.withBean(ZooKeeperLeaderConnectionDetails.class, () -> ZooKeeperEnsemble.shared()::connectString)
			.run((context) -> TestContexts.lead(context, "duty"));
	}

	@Test
	void userComesFromTheConnectionDetails() throws Exception {
		this.contextRunner
			.withPropertyValues("leader.zookeeper.connect-string=localhost:1", "leader.zookeeper.auth.username=other")
			.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details("me", "right"))
			.run((context) -> TestContexts.lead(context, "duty"));
		try (CuratorFramework me = client("me:right"); CuratorFramework other = client("other:right")) {
			assertThat(me.getData().forPath(this.basePath + "/test/duty")).isNotNull();
			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> other.getData().forPath(this.basePath + "/test/duty"));
		}
		this.contextRunner.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details("me", "wrong"))
			.run(failed("ZooKeeper denies this application access", "ZooKeeperLeaderConnectionDetails"));
	}

	@Test
	void userIsNotTakenFromPropertiesIfConnectionDetailsHaveNone() throws Exception {
		for (String none : Arrays.asList(null, "", " ")) {
			this.contextRunner
				.withPropertyValues("leader.zookeeper.auth.username=me", "leader.zookeeper.auth.password=right",
						"leader.zookeeper.ssl.bundle=none")
				.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details(none, none))
				.run((context) -> TestContexts.lead(context, "duty"));
		}
		try (CuratorFramework client = client()) {
			assertThat(client.getACL().forPath(this.basePath)).extracting((acl) -> acl.getId().getScheme())
				.containsExactly("world");
		}
	}

	@Test
	void wrongConnectionDetailsAreNamed() {
		this.contextRunner.withBean(ZooKeeperLeaderConnectionDetails.class, () -> details("me", " "))
			.run(failed("ZooKeeperLeaderConnectionDetails has a username without a password",
					"Let ZooKeeperLeaderConnectionDetails return both, or none"));
		this.contextRunner.withBean(ZooKeeperLeaderConnectionDetails.class, () -> () -> "host:abc")
			.run(failed("ZooKeeperLeaderConnectionDetails.getConnectString() cannot be used: 'host:abc'",
					"Correct ZooKeeperLeaderConnectionDetails.getConnectString()."));
	}

	@Test
	void usersClientIsUsedAndLeftOpen() {
		try (CuratorFramework client = client()) {
			this.contextRunner.withBean(CuratorFramework.class, () -> client, (definition) -> {
				definition.setDestroyMethodName("");
			}).run((context) -> TestContexts.lead(context, "duty"));
			assertThat(client.getZookeeperClient().isConnected()).isTrue();
		}
	}

	@Test
	void severalClientsAreTooMany() {
		withTwoClients(this.contextRunner)
			.run(failed("several CuratorFramework beans", "@Primary", "leader.zookeeper.connect-string"));
	}

	@Test
	void zooKeeperThatIsNotUsedMayBeWrong() {
		ApplicationContextRunner elsewhere = this.contextRunner.withPropertyValues("leader.backend=local",
				"leader.zookeeper.base-path=/", "leader.zookeeper.auth.username=me",
				"leader.zookeeper.ssl.bundle=none");
		elsewhere.withPropertyValues("leader.zookeeper.connect-string=localhost:1")
			.run((context) -> assertThat(backend(context)).isEqualTo("local"));
		withTwoClients(elsewhere).run((context) -> assertThat(backend(context)).isEqualTo("local"));
	}

	/** A placeholder for what is not set leaves that behind. */
	@Test
	void blankConnectStringIsNone() {
		ApplicationContextRunner nothing = this.contextRunner.withPropertyValues("leader.zookeeper.connect-string= ");
		nothing.run(failed("Leader election has no backend", "leader.zookeeper.connect-string"));
		nothing.withBean(CuratorFramework.class, ZooKeeperLeaderAutoConfigurationTests::client)
			.run((context) -> TestContexts.lead(context, "duty"));
		nothing.withPropertyValues("leader.backend=zookeeper")
			.withBean(ZooKeeperLeaderConnectionDetails.class, () -> () -> " ")
			.run(failed("backend zookeeper, but no servers are configured", "Set leader.zookeeper.connect-string.",
					"Add a CuratorFramework bean."));
	}

	/** A placeholder for what is not set leaves that behind. */
	@Test
	void blankUserAndBundleAreNone() throws Exception {
		for (String blank : List.of("", " ")) {
			ApplicationContextRunner runner = this.contextRunner.withPropertyValues(
					"leader.zookeeper.auth.username=" + blank, "leader.zookeeper.auth.password=" + blank,
					"leader.zookeeper.ssl.bundle=" + blank);
			String servers = "leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString();
			runner.withPropertyValues(servers).run((context) -> TestContexts.lead(context, "duty"));
			runner.withBean(CuratorFramework.class, ZooKeeperLeaderAutoConfigurationTests::client)
				.run((context) -> TestContexts.lead(context, "duty"));
			runner.withPropertyValues(servers, "leader.zookeeper.auth.username=me")
				.run(failed("username without a password", "leader.zookeeper.auth.password"));
		}
		try (CuratorFramework client = client()) {
			assertThat(client.getACL().forPath(this.basePath)).extracting((acl) -> acl.getId().getScheme())
				.containsExactly("world");
		}
	}

	@Test
	void nothingIsThereWithoutAnAddressOrAClient() {
		this.contextRunner.withPropertyValues("leader.backend=zookeeper")
			.run(failed("leader.backend is 'zookeeper', which is not available", "leader.zookeeper.connect-string"));
	}

	@Test
	void besideADataSourceTheBackendMustBeNamed() {
		ApplicationContextRunner both = this.connected.withPropertyValues("spring.datasource.url=" + TestContexts.h2())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
		both.run(failed("several backends to choose from", "Set leader.backend=zookeeper."));
		both.withPropertyValues("leader.backend=zookeeper")
			.run((context) -> assertThat(backend(context)).isEqualTo("zookeeper"));
	}

	@Test
	void deadEndpointIsNamed() {
		this.contextRunner.withInitializer(new StartTimeout(Duration.ofSeconds(1)))
			.withPropertyValues("leader.zookeeper.connect-string=localhost:1")
			.run(failed("no connection to ZooKeeper at localhost:1", "leader.zookeeper.connect-string"));
	}

	@Test
	void endpointThatIsNoZooKeeperIsNamed() throws Exception {
		try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
				FaultProxy proxy = new FaultProxy(other.getLocalPort())) {
			proxy.refuse();
			this.contextRunner.withInitializer(new StartTimeout(Duration.ofSeconds(1)))
				.withPropertyValues("leader.zookeeper.connect-string=localhost:" + proxy.port())
				.run(failed("accepted the connection but did not speak the ZooKeeper protocol", "ports for clients"));
		}
	}

	@Test
	@Tag("verify")
	void serverThatIsTooOldIsRefused() {
		try (OldZooKeeper old = OldZooKeeper.unusable()) {
			this.contextRunner.withPropertyValues("leader.zookeeper.connect-string=" + old.connectString())
				.run(failed("the server is older than 3.6", "Update all ZooKeeper servers to 3.6 or later"));
		}
	}

	@Test
	@Tag("verify")
	void earliestServerWorksWithoutWarnings() {
		try (OldZooKeeper earliest = OldZooKeeper.earliest()) {
			// While it starts, it stumbles over being asked whether it has.
			int before = earliest.log().length();
			this.contextRunner.withPropertyValues("leader.zookeeper.connect-string=" + earliest.connectString())
				.run((context) -> TestContexts.lead(context, "duty"));
			assertThat(earliest.log().substring(before)).doesNotContain("ERROR");
		}
	}

	@Test
	void rootThatIsNotThereIsNamed() {
		this.contextRunner
			.withPropertyValues(
					"leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString() + "/not-there")
			.run(failed("ZooKeeper has no node for", "Create the path that follows the hosts"));
	}

	@Test
	void rootInTheConnectStringIsUsed() throws Exception {
		String root = "/root-" + UUID.randomUUID();
		try (CuratorFramework client = client()) {
			client.create().forPath(root);
			this.contextRunner
				.withPropertyValues(
						"leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString() + root)
				.run((context) -> TestContexts.lead(context, "duty"));
			assertThat(client.checkExists().forPath(root + this.basePath + "/test/duty")).isNotNull();
		}
	}

	@Test
	void passwordProtectsTheNodesAndAWrongOneIsNamed() throws Exception {
		ApplicationContextRunner user = this.connected.withPropertyValues("leader.zookeeper.auth.username=me");
		user.withPropertyValues("leader.zookeeper.auth.password=right")
			.run((context) -> TestContexts.lead(context, "duty"));
		try (CuratorFramework client = client()) {
			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> client.getData().forPath(this.basePath + "/test/duty"));
		}
		user.withPropertyValues("leader.zookeeper.auth.password=wrong")
			.run(failed("ZooKeeper denies this application access", "leader.zookeeper.auth.username"));
		user.run(failed("username without a password", "leader.zookeeper.auth.password"));
	}

	@Test
	void nodesAreForTheirCreatorOnlyIfThatIsWanted() throws Exception {
		ApplicationContextRunner only = this.contextRunner
			.withPropertyValues("leader.zookeeper.auth.creator-only=true");
		try (CuratorFramework me = client("me:right"); CuratorFramework other = client("other:right")) {
			only.withBean(CuratorFramework.class, () -> me, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> {
					TestContexts.lead(context, "duty");
					for (String node : List.of("", "/@store-id", "/test", "/test/duty", "/test/duty/leader")) {
						List<ACL> acl = me.getACL().forPath(this.basePath + node);
						assertThat(acl).as(node).extracting(ACL::getPerms).containsExactly(ZooDefs.Perms.ALL);
						assertThat(acl.get(0).getId().toString()).contains("digest", "me:");
						assertThatExceptionOfType(KeeperException.NoAuthException.class).as(node)
							.isThrownBy(() -> other.setData().forPath(this.basePath + node));
						assertThatExceptionOfType(KeeperException.NoAuthException.class).as(node)
							.isThrownBy(() -> other.create().forPath(this.basePath + node + "/other"));
					}
				});
		}
	}

	@Test
	void creatorThatDidNotLogInIsNamed() {
		ApplicationContextRunner only = this.contextRunner
			.withPropertyValues("leader.zookeeper.auth.creator-only=true");
		only.withBean(CuratorFramework.class, ZooKeeperLeaderAutoConfigurationTests::client)
			.run(failed("to its creator, as this application is not authenticated", "let it log in",
					"remove leader.zookeeper.auth.creator-only"));
		only.withPropertyValues("leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString())
			.run(failed("to its creator, as this application is not authenticated",
					"set leader.zookeeper.auth.username"));
	}

	@Test
	void userThatAClientBeanWouldIgnoreIsRefused() {
		ApplicationContextRunner runner = this.contextRunner.withBean(CuratorFramework.class,
				ZooKeeperLeaderAutoConfigurationTests::client);
		runner.withPropertyValues("leader.zookeeper.auth.username=me", "leader.zookeeper.auth.password=right")
			.run(failed(
					"leader.zookeeper.auth.username is set, but the connections of a CuratorFramework bean are used",
					"set leader.zookeeper.auth.creator-only=true instead"));
		runner.withPropertyValues("leader.zookeeper.auth.password=right")
			.run(failed(
					"leader.zookeeper.auth.password is set, but the connections of a CuratorFramework bean are used",
					"set leader.zookeeper.auth.creator-only=true instead"));
	}

	@Test
	void pathThatMayOnlyBeReadIsNamed() throws Exception {
		try (CuratorFramework client = client()) {
			client.create()
				.creatingParentsIfNeeded()
				.withACL(List.of(new ACL(ZooDefs.Perms.READ, new Id("world", "anyone"))))
				.forPath(this.basePath);
			this.connected.run(failed("denies this application access to " + this.basePath, "leader.zookeeper"));
		}
	}

	@Test
	void sessionThatIsTooShortIsRefused() {
		this.connected.withPropertyValues("leader.lease.ttl=10m")
			.run(failed("keeps a session only for 300000 ms", "maxSessionTimeout"));
	}

	@Test
	void ttlThatIsTooShortForTheTickIsRefused() {
		this.connected.withPropertyValues("leader.lease.ttl=1s")
			.run(failed("shorter than the zookeeper backend can keep (2500ms)", "at least 2500ms"));
	}

	@Test
	void pathThatIsNoneIsRefused() {
		this.connected.withPropertyValues("leader.zookeeper.base-path=leader")
			.run(failed("leader.zookeeper.base-path cannot be used", "Correct leader.zookeeper.base-path"));
	}

	@Test
	void connectStringThatIsNoneIsRefusedAtOnce() {
		for (String wrong : List.of("host:abc", "host:99999", "host:1/app/", "host:1//app", "/app")) {
			this.contextRunner.withInitializer(new StartTimeout(Duration.ofHours(1)))
				.withPropertyValues("leader.zookeeper.connect-string=" + wrong)
				.run(failed("leader.zookeeper.connect-string cannot be used: '%s' is no list such as".formatted(wrong),
						"Correct leader.zookeeper.connect-string."));
		}
	}

	@Test
	void databaseIsFencedByTheEpochsOfZooKeeper() {
		this.connected
			.withPropertyValues("leader.backend=zookeeper", "leader.lease.ttl=1m",
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

	static ContextConsumer<AssertableApplicationContext> failed(String description, String... advice) {
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

	private static ZooKeeperLeaderConnectionDetails details(@Nullable String username, @Nullable String password) {
		return new ZooKeeperLeaderConnectionDetails() {

			@Override
			public String getConnectString() {
				return ZooKeeperEnsemble.shared().connectString();
			}

			@Override
			public @Nullable String getUsername() {
				return username;
			}

			@Override
			public @Nullable String getPassword() {
				return password;
			}

		};
	}

	private static ApplicationContextRunner withTwoClients(ApplicationContextRunner runner) {
		return runner.withBean("one", CuratorFramework.class, ZooKeeperLeaderAutoConfigurationTests::client)
			.withBean("other", CuratorFramework.class, ZooKeeperLeaderAutoConfigurationTests::client);
	}

	private static CuratorFramework client() {
		CuratorFramework client = CuratorFrameworkFactory.newClient(ZooKeeperEnsemble.shared().connectString(), 10_000,
				5000, new RetryOneTime(1));
		client.start();
		return client;
	}

	private static CuratorFramework client(String user) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(ZooKeeperEnsemble.shared().connectString())
			.retryPolicy(new RetryOneTime(1))
			.authorization("digest", user.getBytes(StandardCharsets.UTF_8))
			.build();
		client.start();
		return client;
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
