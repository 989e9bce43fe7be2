package io.leaderstarter.fencing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.leaderstarter.FenceBlockedEvent;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FenceGate} and what it makes of fences that cannot be raised.
 */
class FenceGateTests {

	private final TestTerm term = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	private final List<FenceBlockedEvent> blocked = new CopyOnWriteArrayList<>();

	private final DriverManagerDataSource database = PostgresServer.newDatabase();

	private final FaultProxy proxy = new FaultProxy(PostgresServer.port());

	private Fence near;

	private Fence far;

	@BeforeEach
	void makeFences() {
		this.near = fence("near", this.database, "near_");
		this.far = fence("far", PostgresServer.through(this.database, this.proxy.port()), "far_");
	}

	@AfterEach
	void close() {
		this.near.close();
		this.far.close();
		this.proxy.close();
	}

	@Test
	void termDoesNotBeginWithoutAFenceThatIsRequired() {
		try (FenceGate gate = gate(true)) {
			gate.prepare();
			this.proxy.refuse();
			assertThatExceptionOfType(FenceException.class).isThrownBy(() -> gate.passed(List.of("role")));
			assertThatExceptionOfType(FenceException.class).isThrownBy(() -> gate.open(this.term.leadership()))
				.withMessageContaining("'far'");
		}
	}

	@Test
	void fenceThatIsNotRequiredIsRaisedWhenItCanBe() {
		this.proxy.refuse();
		try (FenceGate gate = gate(false)) {
			gate.prepare();
			assertThat(gate.passed(List.of("role"))).isEmpty();
			gate.open(this.term.leadership());
			assertThat(this.near.read(List.of("role")).get("role").epoch()).isEqualTo(7);
			this.proxy.heal();
			await().until(() -> this.far.read(List.of("role")).containsKey("role"));
			await().until(() -> this.far.read(List.of("role")).get("role").epoch() == 7);
		}
	}

	/** A class that cannot be loaded, or no memory for a moment. */
	@Test
	void fenceIsRaisedAlsoAfterAnErrorOfTheDriver() {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		AtomicInteger errors = new AtomicInteger();
		DataSource failing = failing(MemoryDatabases.newH2(), failure, errors);
		try (Fence fence = new Fence("failing", failing, failing, settings("failing_"), (role) -> true);
				FenceGate gate = new FenceGate(new Fences(List.of(fence), false, List.of()), List.of(), () -> "store",
						this.blocked::add)) {
			gate.prepare();
			failure.set(new SQLException("away"));
			gate.open(this.term.leadership());
			failure.set(new LinkageError("no such class"));
			await().until(() -> errors.get() > 0);
			failure.set(null);
			await().until(() -> gate.opened(this.term.leadership()).contains("failing"));
			assertThat(fence.read(List.of("role")).get("role").epoch()).isEqualTo(7);
		}
	}

	private static DataSource failing(DataSource target, AtomicReference<Throwable> failure, AtomicInteger errors) {
		return new DelegatingDataSource(target) {

			@Override
			public Connection getConnection() throws SQLException {
				return intercepted(super.getConnection(), (method, arguments) -> {
					Throwable present = failure.get();
					if (present != null && method.getName().startsWith("prepare")) {
						if (present instanceof Error) {
							errors.incrementAndGet();
						}
						throw present;
					}
				});
			}

		};
	}

	@Test
	void fenceThatIsAwayIsWaitedForOnceWhenTheGateIsPrepared() {
		AtomicInteger tries = new AtomicInteger();
		DataSource away = new AdaptedDataSource(this.database, (opened) -> {
			tries.incrementAndGet();
			opened.close();
			throw new SQLException("away");
		});
		try (Fence fence = new Fence("away", away, away, settings("away_"), (role) -> true);
				FenceGate gate = new FenceGate(new Fences(List.of(fence), false, List.of()), List.of(), () -> "store",
						this.blocked::add)) {
			gate.prepare();
			assertThat(tries).hasValue(1);
			assertThat(gate.passed(List.of("role"))).isEmpty();
			assertThat(tries).hasValue(2);
		}
	}

	@Test
	void fenceThatIsNotRequiredAndHasSeenALaterEpochKeepsTheTermFromBeginning() {
		try (FenceGate gate = gate(false)) {
			gate.prepare();
			gate.open(this.next.leadership());
			assertThatExceptionOfType(EpochRegressionException.class)
				.isThrownBy(() -> gate.open(this.term.leadership()));
		}
	}

	@Test
	void fenceOfAnotherStoreIsObjectedToBeforeAnythingIsTaken() {
		try (FenceGate gate = gate(true)) {
			gate.prepare();
			gate.open(this.term.leadership());
			assertThat(gate.passed(List.of("role"))).containsEntry("role", new TermGate.Passed(7, null));
			this.far.adopt(new FenceAdoption("role", 7, "store", "another store", "me", "to see it refused"));
			assertThat(gate.passed(List.of("role")).get("role").objection()).contains("'far'")
				.contains("another store")
				.contains("#epochs-that-go-back");
		}
	}

	@Test
	void sessionsThatHoldARaiseUpAreNamedInAnEvent() throws Exception {
		try (FenceGate gate = gate(true); Connection connection = this.database.getConnection()) {
			gate.prepare();
			gate.open(this.term.leadership());
			connection.setAutoCommit(false);
			connection.createStatement().execute("set application_name = 'the slow job'");
			this.near.check().check(connection, this.term);
			connection.createStatement().execute("set idle_in_transaction_session_timeout = 0");
			// After a pause the driver may give up before the server reports that it
			// waited.
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThatExceptionOfType(FenceBlockedException.class)
					.isThrownBy(() -> gate.open(this.next.leadership()))
					.withMessageContaining("the slow job"));
			connection.rollback();
		}
		assertThat(this.blocked).singleElement().satisfies((event) -> {
			assertThat(event.leadership()).isEqualTo(this.next.leadership());
			assertThat(event.database()).isEqualTo("near");
			assertThat(event.sessions()).singleElement().asString().contains("the slow job");
		});
	}

	@Test
	void sessionThatWaitsForTheFenceItselfIsNotNamed() throws Exception {
		try (FenceGate gate = gate(true);
				Connection holder = this.database.getConnection();
				Connection waiting = this.database.getConnection()) {
			gate.prepare();
			gate.open(this.term.leadership());
			holder.setAutoCommit(false);
			holder.createStatement().execute("set idle_in_transaction_session_timeout = 0");
			holder.createStatement().execute("select * from near_fence for update");
			waiting.createStatement().execute("set application_name = 'another candidate'");
			CompletableFuture<Boolean> update = CompletableFuture.supplyAsync(() -> {
				try {
					return waiting.createStatement().execute("update near_fence set epoch = epoch");
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			});
			JdbcTemplate jdbc = new JdbcTemplate(this.database);
			await().until(() -> jdbc.queryForObject(
					"select count(*) from pg_stat_activity where "
							+ "application_name = 'another candidate' and wait_event_type = 'Lock'",
					Integer.class) == 1);
			assertThatExceptionOfType(FenceBlockedException.class).isThrownBy(() -> gate.open(this.next.leadership()))
				.withMessageContaining("idle in transaction")
				.withMessageNotContaining("another candidate");
			holder.rollback();
			assertThat(update).succeedsWithin(Duration.ofSeconds(30));
		}
	}

	@ParameterizedTest
	@EnumSource
	void fenceIsAdoptedByAnotherStoreOnlyAsItIsExpectedToBe(TestDatabase kind) {
		DriverManagerDataSource other = kind.make();
		try (Fence fence = fence("db", other, "leader_")) {
			Fences fences = new Fences(List.of(fence), true, List.of());
			fence.prepare();
			fence.raise(this.term.leadership(), "old store");
			FenceAdoption surprised = new FenceAdoption("role", 6, "old store", "new store", "ann", "moved");
			assertThatExceptionOfType(FenceException.class).isThrownBy(() -> fences.adopt("db", surprised))
				.withMessageContaining("epoch=7");
			JdbcTemplate jdbc = new JdbcTemplate(other);
			assertThat(jdbc.queryForList("select * from leader_fence_audit")).isEmpty();
			FenceAdoption adoption = new FenceAdoption("role", 7, "old store", "new store", "ann", "moved");
			fences.adopt("db", adoption);
			assertThat(jdbc.queryForMap("select epoch, store_id_before, store_id_after, adopted_by, reason "
					+ "from leader_fence_audit where namespace = 'test' and role = 'role' and adopted_at_us > 0"))
				.containsValues(7L, "old store", "new store", "ann", "moved");
			assertThatExceptionOfType(FenceException.class).as("twice").isThrownBy(() -> fences.adopt("db", adoption));
			assertThatExceptionOfType(EpochRegressionException.class)
				.isThrownBy(() -> fence.raise(this.next.leadership(), "old store"));
			fence.raise(this.next.leadership(), "new store");
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> fences.adopt("dbs", adoption))
				.withMessageContaining("[db]");
		}
	}

	@ParameterizedTest
	@EnumSource
	void adoptionThatFailsHalfWayChangesNothing(TestDatabase kind) {
		DriverManagerDataSource other = kind.make();
		try (Fence fence = new Fence("db", other, withoutAudit(other), settings("leader_"), (role) -> true)) {
			fence.prepare();
			fence.raise(this.term.leadership(), "old store");
			assertThatIllegalStateException()
				.isThrownBy(() -> fence.adopt(new FenceAdoption("role", 7, "old store", "new store", "ann", "moved")))
				.withMessage("no audit");
			JdbcTemplate jdbc = new JdbcTemplate(other);
			assertThat(jdbc.queryForList("select store_id from leader_fence where role = 'role'", String.class))
				.containsExactly("old store");
			assertThat(jdbc.queryForList("select * from leader_fence_audit")).isEmpty();
			fence.raise(this.next.leadership(), "old store");
		}
	}

	/**
	 * The driver fails with what is no SQLException when the adoption is written down.
	 */
	private static DataSource withoutAudit(DataSource database) {
		return new DelegatingDataSource(database) {

			@Override
			public Connection getConnection() throws SQLException {
				return intercepted(super.getConnection(), (method, arguments) -> {
					if (method.getName().equals("prepareStatement")
							&& arguments[0].toString().startsWith("insert into leader_fence_audit")) {
						throw new IllegalStateException("no audit");
					}
				});
			}

		};
	}

	private static Connection intercepted(Connection connection, Interceptor before) {
		return (Connection) Proxy.newProxyInstance(FenceGateTests.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					before.call(method, arguments);
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private FenceGate gate(boolean required) {
		return new FenceGate(new Fences(List.of(this.near, this.far), required, List.of()), List.of(), () -> "store",
				this.blocked::add);
	}

	private static Fence fence(String name, DriverManagerDataSource database, String prefix) {
		return new Fence(name, database, database, settings(prefix), (role) -> true);
	}

	private static FenceSettings settings(String prefix) {
		return TestFence.settings("test", prefix, SchemaInitialization.ALWAYS, Duration.ofSeconds(2),
				Duration.ofSeconds(10));
	}

	private interface Interceptor {

		void call(Method method, Object[] arguments) throws Throwable;

	}

}
