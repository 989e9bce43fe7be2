package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DedicatedConnections}.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class DedicatedConnectionsTests {

	private static final String WARNING = "Leader election uses connections of the application's pool";

	private final String url = TestContexts.h2();

	private final HikariDataSource hikari = hikari();

	@AfterEach
	void close() {
		this.hikari.close();
	}

	@Test
	void leaseIsRenewedWhileTheApplicationHasUsedUpItsPool() {
		TestContexts.jdbc(this.url)
			.withPropertyValues("leader.lease.ttl=2s", "test.roles=busy",
					"spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> {
				DataSource pool = context.getBean(DataSource.class);
				try (Connection only = pool.getConnection()) {
					assertThat(only.isValid(1)).isTrue();
					assertThat(context.getBean(HikariDataSource.class).getHikariPoolMXBean().getIdleConnections())
						.isZero();
					TestContexts.lead(context, "busy");
					DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
					AtomicInteger renewals = new AtomicInteger();
					elections.addRequestListener(
							(request, took, ok) -> renewals.addAndGet((ok && request.equals("renew")) ? 1 : 0));
					// More than fit into one ttl, so the term lives by them.
					TestContexts.await().until(() -> renewals.get() >= 5);
					assertThat(elections.election("busy").isLeader()).isTrue();
				}
			});
	}

	@Test
	void connectionIsNotOneOfThePool(CapturedOutput output) throws SQLException {
		DataSource own = DedicatedConnections.derive(this.hikari);
		assertThat(own).isInstanceOf(SimpleDriverDataSource.class);
		assertThat(ask(own, "call user()")).isEqualTo("OWNER");
		assertThat(this.hikari.isRunning()).as("pool was started").isFalse();
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void passwordThatWasRotatedInThePoolIsUsed() throws SQLException {
		DataSource own = DedicatedConnections.derive(this.hikari);
		ask(this.hikari, "alter user owner set password 'rotated'");
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> ask(own, "call user()"));
		this.hikari.getHikariConfigMXBean().setPassword("rotated");
		assertThat(ask(own, "call user()")).isEqualTo("OWNER");
	}

	@Test
	void providerOfCredentialsIsUsedAtEachConnect() throws SQLException {
		ask(this.hikari, "create user clerk password 'first' admin");
		AtomicReference<String> password = new AtomicReference<>("first");
		try (HikariDataSource configured = new HikariDataSource()) {
			configured.setJdbcUrl(this.url);
			configured.setCredentialsProvider(() -> Credentials.of("clerk", password.get()));
			DataSource own = DedicatedConnections.derive(configured);
			assertThat(ask(own, "call user()")).isEqualTo("CLERK");
			ask(this.hikari, "alter user clerk set password 'second'");
			password.set("second");
			assertThat(ask(own, "call user()")).isEqualTo("CLERK");
		}
	}

	@Test
	void settingsOfHikariAreCarriedOver() throws SQLException {
		ask(this.hikari, "create schema billing");
		try (HikariDataSource configured = hikari()) {
			configured.setSchema("BILLING");
			configured.addDataSourceProperty("LOCK_TIMEOUT", "4711");
			DataSource own = DedicatedConnections.derive(configured);
			assertThat(ask(own, "call schema()")).isEqualTo("BILLING");
			assertThat(ask(own, "call lock_timeout()")).isEqualTo("4711");
		}
	}

	@Test
	void poolIsFoundBehindProxies(CapturedOutput output) throws SQLException {
		ask(this.hikari, "create schema billing");
		try (HikariDataSource configured = hikari()) {
			configured.setSchema("BILLING");
			for (DataSource proxy : new DataSource[] { new LazyConnectionDataSourceProxy(configured),
					new TransactionAwareDataSourceProxy(configured) }) {
				DataSource own = DedicatedConnections.derive(proxy);
				assertThat(own).isInstanceOf(SimpleDriverDataSource.class);
				assertThat(ask(own, "call schema()")).isEqualTo("BILLING");
			}
		}
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void connectionsOfAPoolThatPreparesThemAreUsed(CapturedOutput output) {
		this.hikari.setConnectionInitSql("set lock_timeout 4711");
		assertThat(DedicatedConnections.derive(this.hikari)).isSameAs(this.hikari);
		assertThat(StringUtils.countOccurrencesOf(output.toString(), WARNING)).isOne();
		assertThat(output).contains("Declare a @LeaderDataSource bean to avoid that");
	}

	@Test
	void connectionsOfAPoolOverADataSourceAreUsed(CapturedOutput output) {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setDataSource(new DriverManagerDataSource(this.url));
			assertThat(DedicatedConnections.derive(pool)).isSameAs(pool);
		}
		assertThat(StringUtils.countOccurrencesOf(output.toString(), WARNING)).isOne();
	}

	@Test
	void connectionsOfAPoolOverAClassOfDataSourcesAreUsed(CapturedOutput output) throws SQLException {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setDataSourceClassName("org.h2.jdbcx.JdbcDataSource");
			pool.addDataSourceProperty("url", this.url);
			assertThat(DedicatedConnections.derive(pool)).isSameAs(pool);
			assertThat(ask(pool, "call 1")).isEqualTo("1");
		}
		assertThat(StringUtils.countOccurrencesOf(output.toString(), WARNING)).isOne();
	}

	@Test
	void connectionsOfAnUnknownDataSourceAreUsed(CapturedOutput output) {
		DataSource unknown = new UnknownDataSource(new DriverManagerDataSource(this.url));
		TestContexts.jdbc(this.url)
			.withBean(DataSource.class, () -> unknown)
			.withPropertyValues("test.roles=borrowed")
			.run((context) -> {
				TestContexts.lead(context, "borrowed");
				assertThat(context.getBean(DataSource.class)).isSameAs(unknown);
			});
		assertThat(StringUtils.countOccurrencesOf(output.toString(), WARNING)).isOne();
	}

	private HikariDataSource hikari() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(this.url);
		dataSource.setUsername("owner");
		dataSource.setPassword("secret");
		return dataSource;
	}

	private static String ask(DataSource dataSource, String sql) throws SQLException {
		try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
			if (!statement.execute(sql)) {
				return "";
			}
			try (ResultSet result = statement.getResultSet()) {
				return result.next() ? result.getString(1) : "";
			}
		}
	}

	static class UnknownDataSource extends AbstractDataSource {

		private final DataSource delegate;

		UnknownDataSource(DataSource delegate) {
			this.delegate = delegate;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.delegate.getConnection();
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return this.delegate.getConnection(username, password);
		}

	}

}
