package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PauseWatch;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.FaultProxy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DedicatedConnection}.
 */
class DedicatedConnectionTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	/** What a busy machine may add to a time-out. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	private final List<Connection> opened = new CopyOnWriteArrayList<>();

	@Test
	void oneConnectionIsKept() throws Exception {
		try (DedicatedConnection connection = recording(MemoryDatabases.newH2())) {
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(this.opened).hasSize(1);
		}
		assertThat(this.opened.get(0).isClosed()).isTrue();
	}

	@Test
	void nothingIsOpenedBeforeItIsNeeded() {
		recording(MemoryDatabases.newH2()).close();
		assertThat(this.opened).isEmpty();
	}

	@Test
	void everyCallCommitsByItself() throws Exception {
		try (DedicatedConnection connection = recording(MemoryDatabases.newH2())) {
			connection.execute(LONG, (session) -> {
				assertThat(session.connection().getAutoCommit()).isTrue();
				session.connection().setAutoCommit(false);
				return true;
			});
			assertThat(connection.<Boolean>execute(LONG, (session) -> session.connection().getAutoCommit())).isTrue();
		}
	}

	@Test
	void connectionIsReplacedAfterAnyException() throws Exception {
		try (DedicatedConnection connection = recording(MemoryDatabases.newH2())) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.execute(LONG, (session) -> {
				throw new SQLException("broken");
			})).withMessage("broken");
			assertThat(this.opened.get(0).isClosed()).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> connection.execute(LONG, (session) -> {
				throw new IllegalStateException("a mistake");
			}));
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(this.opened).hasSize(3);
		}
	}

	@ParameterizedTest
	@MethodSource
	void transactionIsRolledBackAfterAnyFailure(Throwable failure) throws Exception {
		DriverManagerDataSource database = MemoryDatabases.newH2();
		try (DedicatedConnection connection = new DedicatedConnection(database)) {
			connection.execute(LONG, (session) -> update(session, "create table written (id int)"));
			assertThatThrownBy(() -> connection.execute(LONG, (session) -> session.inTransaction((transaction) -> {
				update(transaction, "insert into written values (1)");
				throw DedicatedConnectionTests.<SQLException>asException(failure);
			}))).isSameAs(failure);
			connection.execute(LONG, (session) -> session
				.inTransaction((transaction) -> update(transaction, "insert into written values (2)")));
			connection.execute(LONG, (session) -> session
				.inRolledBackTransaction((transaction) -> update(transaction, "insert into written values (3)")));
			assertThat(connection.<Integer>execute(LONG, (session) -> {
				assertThat(session.connection().getAutoCommit()).isTrue();
				return run(session, "select sum(id) from written");
			})).isEqualTo(2);
		}
	}

	static Stream<Throwable> transactionIsRolledBackAfterAnyFailure() {
		return Stream.of(new SQLException("of the database"), new IllegalStateException("a mistake"),
				new LinkageError("no such class"), new Exception("undeclared"));
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E asException(Throwable failure) throws E {
		throw (E) failure;
	}

	private static int update(JdbcSession session, String sql) throws SQLException {
		return session.update(sql);
	}

	@Test
	void connectionThatWasClosedByOthersIsReplaced() throws Exception {
		try (DedicatedConnection connection = recording(MemoryDatabases.newH2())) {
			selectOne(connection);
			this.opened.get(0).close();
			assertThat(selectOne(connection)).isEqualTo(1);
		}
	}

	@Test
	void connectionWhoseWorkWasCancelledTooLateIsNotUsedAgain() throws Exception {
		try (DedicatedConnection connection = recording(MemoryDatabases.newH2())) {
			// The cancellation may arrive while the next statement runs.
			int answer = connection.execute(LONG, (session) -> {
				int one = run(session, "select 1");
				session.cancel();
				return one;
			});
			assertThat(answer).isEqualTo(1);
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(this.opened).hasSize(2);
			await().atMost(LONG).until(this.opened.get(0)::isClosed);
		}
	}

	static Stream<Server> servers() {
		return Stream.of(
				new Server("PostgreSQL", "select pg_sleep(%s)", PostgresServer.newDatabase(), PostgresServer.port(),
						PostgresServer::through),
				new Server("MariaDB", "select sleep(%s)", MariaDbServer.newDatabase(), MariaDbServer.port(),
						MariaDbServer::through),
				new Server("MySQL's driver", "select sleep(%s)", MariaDbServer.newDatabaseForMySqlDriver(),
						MariaDbServer.port(), MariaDbServer::through));
	}

	@ParameterizedTest
	@MethodSource("servers")
	void statementThatTakesTooLongEndsInTimeAndTheNextOneWorks(Server server) throws Exception {
		try (DedicatedConnection connection = recording(server.database())) {
			selectOne(connection);
			Duration timeout = Duration.ofMillis(300);
			assertFailsAfter(timeout, () -> connection.execute(timeout, (session) -> run(session, server.sleep(10))));
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(this.opened).hasSize(2);
		}
	}

	@ParameterizedTest
	@MethodSource("servers")
	void timeoutOfOneCallDoesNotLimitTheNext(Server server) throws Exception {
		try (DedicatedConnection connection = recording(server.database())) {
			selectOne(connection);
			// It may fail on a busy machine, and then takes its connection with it.
			await().atMost(LONG)
				.ignoreExceptionsInstanceOf(SQLException.class)
				.until(() -> connection.execute(Duration.ofMillis(500), (session) -> run(session, "select 1")) == 1);
			int known = this.opened.size();
			connection.execute(LONG, (session) -> run(session, server.sleep(1)));
			assertThat(this.opened).hasSize(known);
		}
	}

	@ParameterizedTest
	@MethodSource("servers")
	void serverThatHangsIsLeftInTimeAndFoundAgain(Server server) throws Exception {
		try (FaultProxy proxy = new FaultProxy(server.port());
				DedicatedConnection connection = recording(server.through(proxy.port()))) {
			selectOne(connection);
			proxy.freeze();
			Duration timeout = Duration.ofMillis(400);
			for (int attempt = 0; attempt < 3; attempt++) {
				// The first finds a connection, the others cannot make one.
				assertFailsAfter(timeout, () -> connection.execute(timeout, (session) -> run(session, "select 1")));
			}
			proxy.heal();
			assertThat(selectOne(connection)).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@MethodSource("servers")
	void idleConnectionThatTheServerHasEndedIsReplacedBeforeItIsUsed(Server server) throws Exception {
		try (FaultProxy proxy = new FaultProxy(server.port());
				DedicatedConnection connection = new DedicatedConnection(
						new AdaptedDataSource(server.through(proxy.port()), this.opened::add), Duration.ZERO)) {
			selectOne(connection);
			selectOne(connection);
			assertThat(this.opened).as("one that works").hasSize(1);
			proxy.cut();
			assertThat(selectOne(connection)).isEqualTo(1);
			assertThat(this.opened).hasSize(2);
		}
	}

	@Tag("verify")
	@ParameterizedTest
	@MethodSource("servers")
	void idleConnectionWithoutAnAnswerIsReplacedInTime(Server server) throws Exception {
		try (FaultProxy proxy = new FaultProxy(server.port());
				DedicatedConnection connection = new DedicatedConnection(
						new AdaptedDataSource(server.through(proxy.port()), this.opened::add), Duration.ZERO)) {
			selectOne(connection);
			proxy.halfOpen();
			int answer = connection.execute(Duration.ofSeconds(10), (session) -> run(session, "select 1"));
			assertThat(answer).isEqualTo(1);
			assertThat(this.opened).hasSize(2);
		}
	}

	@Test
	void attemptsToConnectDoNotPileUp() throws Exception {
		CountDownLatch network = new CountDownLatch(1);
		AtomicInteger attempts = new AtomicInteger();
		try (DedicatedConnection connection = recording(new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> {
			attempts.incrementAndGet();
			waitFor(network);
		}))) {
			for (int call = 0; call < 60; call++) {
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> connection.execute(Duration.ofMillis(20), (session) -> true));
			}
			assertThat(attempts).hasValueLessThan(20);
			network.countDown();
			assertThat(selectOne(connection)).isEqualTo(1);
			await().atMost(LONG).until(() -> this.opened.size() == attempts.get() && openConnections() == 1);
		}
	}

	@Test
	void callThatCouldMakeNoAttemptMakesOneWhenAnotherFails() throws Exception {
		CountDownLatch network = new CountDownLatch(1);
		AtomicInteger attempts = new AtomicInteger();
		try (DedicatedConnection connection = recording(new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> {
			attempts.incrementAndGet();
			if (network.getCount() > 0) {
				waitFor(network);
				opened.close();
				throw new SQLException("the server forgot this one");
			}
		}))) {
			await().atMost(LONG).until(() -> {
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> connection.execute(Duration.ofMillis(20), (session) -> true));
				return attempts.get() >= 8;
			});
			CompletableFuture<Integer> call = CompletableFuture.supplyAsync(() -> {
				try {
					return selectOne(connection);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			});
			network.countDown();
			assertThat(call.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
		}
	}

	private long openConnections() throws SQLException {
		long open = 0;
		for (Connection connection : this.opened) {
			open += connection.isClosed() ? 0 : 1;
		}
		return open;
	}

	@Test
	void connectionThatComesTooLateIsClosedWhenItComes() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch network = new CountDownLatch(1);
		AtomicBoolean hangs = new AtomicBoolean(true);
		DataSource hanging = new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> {
			if (hangs.get()) {
				asked.countDown();
				waitFor(network);
			}
		});
		try (DedicatedConnection connection = recording(hanging)) {
			Duration timeout = Duration.ofMillis(300);
			assertFailsAfter(timeout, () -> connection.execute(timeout, (session) -> run(session, "select 1")));
			waitFor(asked);
			hangs.set(false);
			assertThat(selectOne(connection)).isEqualTo(1);
			network.countDown();
			await().atMost(LONG).until(() -> this.opened.size() == 2);
			await().atMost(LONG).until(() -> this.opened.get(1).isClosed());
			assertThat(selectOne(connection)).isEqualTo(1);
		}
	}

	@Test
	void connectionThatComesAfterAnInterruptIsClosedWhenItComes() {
		CountDownLatch network = new CountDownLatch(1);
		try (DedicatedConnection connection = recording(
				new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> waitFor(network)))) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> selectOne(connection))
				.withMessageContaining("Interrupted");
			assertThat(Thread.interrupted()).isTrue();
			network.countDown();
			await().atMost(LONG).until(() -> this.opened.size() == 1 && this.opened.get(0).isClosed());
		}
	}

	@Test
	void failureToConnectIsReported() {
		try (DedicatedConnection connection = new DedicatedConnection(
				new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> {
					opened.close();
					throw new SQLException("no route");
				}))) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> selectOne(connection))
				.withMessage("no route");
		}
	}

	@Test
	void closedConnectionRefuses() throws Exception {
		DedicatedConnection connection = recording(MemoryDatabases.newH2());
		selectOne(connection);
		connection.close();
		connection.close();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> selectOne(connection))
			.withMessageContaining("closed");
		assertThat(this.opened).hasSize(1);
	}

	@Test
	void connectionThatComesAfterTheCloseIsClosed() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch network = new CountDownLatch(1);
		DedicatedConnection connection = recording(new AdaptedDataSource(MemoryDatabases.newH2(), (opened) -> {
			asked.countDown();
			waitFor(network);
		}));
		CompletableFuture<Throwable> call = CompletableFuture.supplyAsync(() -> {
			try {
				return new AssertionError("answered " + selectOne(connection));
			}
			catch (SQLException ex) {
				return ex;
			}
		});
		waitFor(asked);
		connection.close();
		network.countDown();
		assertThat(call.get(LONG.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(SQLException.class);
		await().atMost(LONG).until(() -> this.opened.size() == 1 && this.opened.get(0).isClosed());
	}

	private DedicatedConnection recording(DataSource dataSource) {
		return new DedicatedConnection(new AdaptedDataSource(dataSource, this.opened::add));
	}

	private static int selectOne(DedicatedConnection connection) throws SQLException {
		return connection.execute(LONG, (session) -> run(session, "select 1"));
	}

	private static int run(JdbcSession session, String sql) throws SQLException {
		return session.query(sql, (row, index) -> row.getObject(1) instanceof Number number ? number.intValue() : 0)
			.get(0);
	}

	private static void assertFailsAfter(Duration timeout, ThrowingCallable call) {
		try (PauseWatch watch = new PauseWatch()) {
			long begin = System.nanoTime();
			assertThatExceptionOfType(SQLException.class).isThrownBy(call);
			long end = System.nanoTime();
			// The statement is cancelled after three quarters of the time-out.
			assertThat(Duration.ofNanos(end - begin))
				.isGreaterThan(timeout.multipliedBy(3).dividedBy(4).minusMillis(50));
			watch.assertTookLessThan(timeout.plus(SLACK), begin, end);
		}
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A server that can be asked to take its time.
	 */
	record Server(String name, String sleepStatement, DriverManagerDataSource database, int port, Route route) {

		String sleep(int seconds) {
			return this.sleepStatement.formatted(seconds);
		}

		DataSource through(int otherPort) {
			return this.route.through(this.database, otherPort);
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	interface Route {

		DataSource through(DriverManagerDataSource database, int port);

	}

}
