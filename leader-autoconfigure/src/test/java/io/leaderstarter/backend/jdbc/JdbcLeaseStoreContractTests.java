package io.leaderstarter.backend.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreContractTests;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.CountingDataSource;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.PauseWatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link JdbcLeaseStore}, which it has to pass on every database.
 */
abstract class JdbcLeaseStoreContractTests extends LeaseStoreContractTests {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

	private static final long MILLION = 1_000_000;

	private DriverManagerDataSource dataSource;

	private JdbcTemplate jdbc;

	/** Makes an empty database. */
	abstract DriverManagerDataSource newDatabase();

	/** What the database has to be taken for. */
	abstract String platform();

	/** SQL that returns the ids of all other sessions of the database. */
	abstract String otherSessions();

	/** SQL that ends a session, with a place for its id. */
	abstract String killSession();

	@BeforeEach
	void connect() {
		this.dataSource = newDatabase();
		this.jdbc = new JdbcTemplate(this.dataSource);
	}

	final DriverManagerDataSource dataSource() {
		return this.dataSource;
	}

	final JdbcTemplate jdbc() {
		return this.jdbc;
	}

	@Override
	protected final LeaseStore createStore(StoreIdentity identity) {
		return createStore(identity, this.dataSource, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
	}

	static LeaseStore createStore(StoreIdentity identity, DataSource dataSource, SchemaInitialization initialization,
			String prefix) {
		return new JdbcLeaseStoreFactory(() -> dataSource,
				new JdbcLeaseProperties(new SchemaSettings(prefix, initialization, null), POLL_INTERVAL))
			.create(identity);
	}

	/** Prepare a store and closes it. */
	static void prepare(DataSource dataSource, SchemaInitialization initialization, String prefix) {
		StoreIdentity identity = new StoreIdentity("app", "member", LONG_TTL);
		try (LeaseStore store = createStore(identity, dataSource, initialization, prefix)) {
			store.prepare();
		}
	}

	final StoreMember member(String idPrefix, DataSource dataSource) {
		return member("contract", idPrefix, LONG_TTL, (identity) -> createStore(identity, dataSource,
				SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX));
	}

	@Test
	void databaseIsKnownForWhatItIs() throws Exception {
		try (Connection connection = this.dataSource.getConnection()) {
			assertThat(JdbcDialects.detect(connection, null).platform()).isEqualTo(platform());
		}
	}

	// The table

	@Test
	void tableIsCreatedOnceAndKept() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		prepare(this.dataSource, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		prepare(this.dataSource, SchemaInitialization.NEVER, LeaderTable.DEFAULT_PREFIX);
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	@Test
	void missingTableIsNotCreatedIfThatIsForbidden() {
		LeaderSchemaException refusal = refusal(SchemaInitialization.NEVER);
		assertThat(refusal).hasMessageContaining("leader_lease");
		assertThat(refusal.getAdvice()).contains("io/leaderstarter/jdbc/schema-lease-%s.sql".formatted(platform()))
			.contains("leader.schema.initialize=always");
		assertThat(getClass().getClassLoader()
			.getResource("io/leaderstarter/jdbc/schema-lease-%s.sql".formatted(platform()))).isNotNull();
		assertThat(refusal(SchemaInitialization.NEVER)).as("still missing").isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ALWAYS", "NEVER" })
	void tableOfAnotherVersionIsRefused(SchemaInitialization initialization) {
		this.jdbc.execute("create table leader_lease (namespace varchar(128) not null, role varchar(128) not null, "
				+ "epoch bigint not null, holder varchar(190), acquired_at_us bigint not null, "
				+ "expires_at_us bigint not null, ttl_us bigint not null, primary key (namespace, role))");
		LeaderSchemaException refusal = refusal(initialization);
		assertThat(refusal).hasMessageContaining("leader_lease")
			.hasMessageContaining("does not have the columns")
			.hasMessageMatching("(?is).*term_id.*");
		assertThat(refusal.getAdvice()).contains("schema-lease-%s.sql".formatted(platform())).contains("Keep its rows");
	}

	@Test
	void tableTakesPrefixAndSchema() {
		String schema = "leases_of_" + getClass().getSimpleName().toLowerCase(Locale.ROOT);
		this.jdbc.execute("create schema " + schema);
		try {
			for (String prefix : List.of("acme_", "Acme2", schema + ".app_")) {
				prepare(this.dataSource, SchemaInitialization.ALWAYS, prefix);
				prepare(this.dataSource, SchemaInitialization.NEVER, prefix);
				assertThat(this.jdbc.queryForObject("select count(*) from " + prefix + "lease", Long.class)).isZero();
			}
			refusal(SchemaInitialization.NEVER);
		}
		finally {
			this.jdbc.execute("drop table " + schema + ".app_lease");
			this.jdbc.execute("drop table " + schema + ".app_store");
			this.jdbc.execute("drop table " + schema + ".app_member");
			// MariaDB keeps schemas beside databases, where the next run would find it.
			this.jdbc.execute("drop schema " + schema);
		}
	}

	@Test
	void replicasThatStartTogetherAllStart() throws Exception {
		for (int round = 0; round < 10; round++) {
			String prefix = "round%d_".formatted(round);
			CyclicBarrier start = new CyclicBarrier(6);
			runAll(Collections.nCopies(6, (Callable<Void>) () -> {
				start.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				prepare(this.dataSource, SchemaInitialization.ALWAYS, prefix);
				return null;
			}));
		}
	}

	private LeaderSchemaException refusal(SchemaInitialization initialization) {
		return refusal(this.dataSource, initialization);
	}

	static LeaderSchemaException refusal(DataSource dataSource, SchemaInitialization initialization) {
		return assertThatExceptionOfType(LeaderSchemaException.class)
			.isThrownBy(() -> prepare(dataSource, initialization, LeaderTable.DEFAULT_PREFIX))
			.actual();
	}

	// The rows

	@Test
	void rowHasTheHolderAndTheExpiryByTheClockOfTheDatabase() {
		StoreMember a = member("a");
		long before = now();
		LeaseKey lease = a.take("invoices");
		Map<String, Object> row = row("invoices");
		assertThat(row).containsEntry("namespace", a.identity().namespace())
			.containsEntry("holder", a.id())
			.containsEntry("term_id", lease.termId())
			.containsEntry("epoch", lease.epoch())
			.containsEntry("ttl_us", LONG_TTL.toSeconds() * MILLION);
		long acquired = (long) row.get("acquired_at_us");
		assertThat(acquired / MILLION).isBetween(before - 5, now() + 5);
		assertThat((long) row.get("expires_at_us") - acquired).isBetween(LONG_TTL.toSeconds() * MILLION,
				LONG_TTL.toSeconds() * MILLION + MILLION);
		await().atMost(PATIENCE).until(() -> {
			a.renew(lease);
			return (long) row("invoices").get("expires_at_us") > (long) row.get("expires_at_us");
		});
		assertThat(row("invoices")).containsEntry("acquired_at_us", acquired).containsEntry("epoch", lease.epoch());
	}

	@Test
	void timesAreFinerThanMilliseconds() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		await().atMost(PATIENCE).until(() -> {
			a.renew(lease);
			return (long) row("invoices").get("expires_at_us") % 1000 != 0;
		});
	}

	@Test
	void rowStaysWhenTheRoleIsReleased() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		a.release(lease);
		assertThat(row("invoices")).containsEntry("epoch", lease.epoch())
			.containsEntry("holder", null)
			.containsEntry("term_id", null)
			.containsEntry("expires_at_us", 0L);
	}

	@Test
	void leaseThatIsNotMeantIsNotProlonged() {
		StoreMember a = member("a");
		LeaseKey lost = a.take("r1");
		LeaseKey kept = a.take("r2");
		LeaseKey orphan = a.take("r3");
		Map<String, Object> before = row("r3");
		this.jdbc
			.update("update leader_lease set holder = 'b', term_id = 'other', epoch = epoch + 1 where role = 'r1'");
		Map<String, Object> taken = row("r1");
		assertThat(a.renew(lost, kept)).containsExactly(kept);
		assertThat(row("r3")).isEqualTo(before);
		assertThat(row("r1")).isEqualTo(taken);
		a.release(lost, orphan);
		assertThat(row("r1")).isEqualTo(taken);
		assertThat(row("r3")).containsEntry("holder", null);
	}

	private Map<String, Object> row(String role) {
		return this.jdbc.queryForMap("select * from leader_lease where role = ?", role);
	}

	private static long now() {
		return System.currentTimeMillis() / 1000;
	}

	// The members

	@Test
	void missingTableOfMembersIsNotCreatedIfThatIsForbidden() {
		prepare(this.dataSource, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		this.jdbc.execute("drop table leader_member");
		LeaderSchemaException refusal = refusal(SchemaInitialization.NEVER);
		assertThat(refusal).hasMessageContaining("leader_member");
		assertThat(refusal.getAdvice()).contains("io/leaderstarter/jdbc/schema-member-%s.sql".formatted(platform()))
			.contains("leader.schema.initialize=always");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ALWAYS", "NEVER" })
	void tableOfMembersOfAnotherVersionIsReportedAndElectionsContinue(SchemaInitialization initialization) {
		prepare(this.dataSource, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		this.jdbc.execute("drop table leader_member");
		this.jdbc.execute("create table leader_member (namespace varchar(128), member_id varchar(190))");
		StoreMember a = member("contract", "a", LONG_TTL,
				(identity) -> createStore(identity, this.dataSource, initialization, LeaderTable.DEFAULT_PREFIX));
		LeaseKey lease = a.take("invoices");
		List<Long> sessions = settledSessions();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> a.announce("a"))
			.withMessageContaining("leader_member")
			.withMessageContaining("schema-member-%s.sql".formatted(platform()))
			.withMessageContaining("select, insert, update and delete");
		assertThat(a.renew(lease)).containsExactly(lease);
		assertThat(this.jdbc.queryForList(otherSessions(), Long.class)).as("the connection is kept")
			.containsAll(sessions);
		this.jdbc.execute("drop table leader_member");
		prepare(this.dataSource, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
	}

	/**
	 * Without those that are being closed, which the server knows for a moment longer.
	 */
	private List<Long> settledSessions() {
		AtomicReference<List<Long>> before = new AtomicReference<>();
		return Awaitility.await().pollInterval(Duration.ofMillis(100)).until(() -> {
			List<Long> sessions = this.jdbc.queryForList(otherSessions(), Long.class);
			return sessions.equals(before.getAndSet(sessions)) ? sessions : null;
		}, (sessions) -> sessions != null);
	}

	@Test
	void rowOfAMemberIsReadAgainOnlyWhenItChanges() {
		CountingDataSource counting = new CountingDataSource(this.dataSource);
		StoreMember a = member("a", counting);
		StoreMember b = member("b");
		b.announce("b");
		a.announce("a");
		int before = counting.count();
		assertThat(a.announce("a")).containsOnly(entry(a.id(), "a"), entry(b.id(), "b"));
		assertThat(counting.count() - before).as("statements").isEqualTo(2);
		assertThat(counting.count("update leader_member set seen_at_us")).isOne();
		b.announce("new");
		assertThat(a.announce("a")).containsEntry(b.id(), "new");
		assertThat(counting.count() - before).as("statements").isEqualTo(5);
	}

	@Test
	void rowsOfManyMembersAreRead() {
		StoreMember a = member("a");
		a.announce("a");
		for (int i = 0; i < 120; i++) {
			this.jdbc.update("insert into leader_member select namespace, ?, version, ttl_us, seen_at_us, presence "
					+ "from leader_member where member_id = ?", "copy-" + i, a.id());
		}
		assertThat(a.announce("a")).hasSize(121).containsEntry("copy-119", "a");
	}

	@Test
	void rowsOfTheLongDeadAreDeletedAndTheDeadAreNotListed() {
		StoreMember a = member("a");
		a.announce("a");
		long ttl = LONG_TTL.toSeconds() * MILLION;
		row("living", "seen_at_us - 2 * " + ttl, "ttl_us", a);
		row("dead", "seen_at_us - 4 * " + ttl, "ttl_us", a);
		row("long dead", "seen_at_us - 11 * " + ttl, "ttl_us", a);
		row("ahead of time", "seen_at_us + 11 * " + ttl, "ttl_us", a);
		row("without a ttl", "seen_at_us - 1", "0", a);
		row("for ever", "seen_at_us - 1", String.valueOf(Long.MAX_VALUE), a);
		row("since ever", String.valueOf(Long.MIN_VALUE + 1), "ttl_us", a);
		assertThat(a.announce("a")).containsOnlyKeys(a.id(), "living", "for ever");
		assertThat(this.jdbc.queryForList("select member_id from leader_member", String.class))
			.containsExactlyInAnyOrder(a.id(), "living", "dead", "for ever");
		assertThat(a.announce("a")).containsOnlyKeys(a.id(), "living", "for ever");
	}

	@Test
	void memberWhoseRowWasDeletedWritesItAgain() {
		StoreMember a = member("a");
		a.announce("a");
		this.jdbc.update("delete from leader_member");
		assertThat(a.announce("a")).containsOnly(entry(a.id(), "a"));
	}

	private void row(String member, String seenAt, String ttl, StoreMember like) {
		this.jdbc.update("insert into leader_member select namespace, '%s', version, %s, %s, presence "
			.formatted(member, ttl, seenAt) + "from leader_member where member_id = ?", like.id());
	}

	// The connection

	@Test
	void connectionThatWasKilledIsReplaced() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		List<Long> sessions = this.jdbc.queryForList(otherSessions(), Long.class);
		assertThat(sessions).isNotEmpty();
		sessions.forEach((session) -> this.jdbc.execute(killSession().formatted(session)));
		await().atMost(PATIENCE)
			.until(() -> this.jdbc.queryForList(otherSessions(), Long.class).stream().noneMatch(sessions::contains));
		// The first call may find out; nothing may fail after it.
		try {
			a.renew(lease);
		}
		catch (StoreException ex) {
			assertThat(ex).hasMessageContaining("renew leases");
		}
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	@Test
	void statementsTakeEffectAtOnceOnConnectionsThatDoNotCommit() {
		DataSource notCommitting = new AdaptedDataSource(this.dataSource,
				(connection) -> connection.setAutoCommit(false));
		StoreMember a = member("a", notCommitting);
		StoreMember b = member("b", notCommitting);
		LeaseKey lease = a.take("invoices");
		assertThat(b.observe("invoices").owner().member()).isEqualTo(a.id());
		a.release(lease);
		assertThat(b.take("invoices").epoch()).isEqualTo(lease.epoch() + 1);
	}

	@ParameterizedTest
	@ValueSource(ints = { Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ,
			Connection.TRANSACTION_SERIALIZABLE })
	void contendersNeverShareAnEpochInAnyIsolation(int isolation) throws Exception {
		DataSource isolated = new AdaptedDataSource(this.dataSource,
				(connection) -> connection.setTransactionIsolation(isolation));
		contend((identity) -> createStore(identity, isolated, SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX));
	}

	/**
	 * Not for HSQLDB: within one process it ends no statement that waits for a lock.
	 */
	final void assertBlockedCallEndsInTimeAndTheNextOneWorks() throws Exception {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		try (Connection blocker = this.dataSource.getConnection()) {
			blocker.setAutoCommit(false);
			try (Statement statement = blocker.createStatement()) {
				statement.executeUpdate("update leader_lease set ttl_us = ttl_us where role = 'invoices'");
			}
			assertEndsWithin(Duration.ofMillis(2500),
					() -> a.store().renew(List.of(lease), attempt(Duration.ofMillis(400))));
			blocker.rollback();
		}
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	final void assertHangIsLeftInTime(FaultProxy proxy, DataSource throughProxy) {
		StoreMember a = member("a", throughProxy);
		LeaseKey lease = a.take("invoices");
		proxy.freeze();
		// Whole seconds, where the time-out of the statement could be the same.
		assertEndsWithin(Duration.ofMillis(2500),
				() -> a.store().renew(List.of(lease), attempt(Duration.ofSeconds(1))));
		assertEndsWithin(Duration.ofMillis(2500),
				() -> a.store().renew(List.of(lease), attempt(Duration.ofSeconds(1))));
		proxy.heal();
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	final void assertWorksWith(DataSource other) {
		StoreMember a = member("a", other);
		for (int terms = 1; terms <= 3; terms++) {
			LeaseKey[] leases = a.tryToTake("r1", "r2", "r3", "r4", "r5", "r6").toArray(LeaseKey[]::new);
			assertThat(leases).hasSize(6);
			assertThat(member("b", other).tryToTake("r1", "r2", "r3", "r4", "r5", "r6")).isEmpty();
			assertThat(a.renew(leases)).containsExactlyInAnyOrder(leases);
			a.release(leases);
		}
	}

	static Attempt attempt(Duration timeout) {
		return new Attempt(TimeSource.SYSTEM.now(), timeout);
	}

	static void assertEndsWithin(Duration limit, ThrowingCallable call) {
		try (PauseWatch watch = new PauseWatch()) {
			long begin = System.nanoTime();
			assertThatExceptionOfType(StoreException.class).isThrownBy(call);
			watch.assertTookLessThan(limit, begin, System.nanoTime());
		}
	}

}
