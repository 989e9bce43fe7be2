package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.leaderstarter.election.Cluster;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.testsupport.CountingDataSource;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Counts what reaches the database. Any number of roles that fits into one statement
 * costs one statement. Where an update cannot return the rows that it changed, as on
 * MariaDB, a query that does follows each of them, also for any number of roles.
 */
@Order(2)
@Tag("verify")
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
class StatementCountTests {

	private static final int ROLES = 1000;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String OBSERVE = "select role, epoch, holder";

	private static final String RENEW = "update leader_lease set expires_at_us";

	private static final String HELD = "select role, epoch, term_id";

	private static final String LIVES = "update leader_member set seen_at_us";

	private static final String LIST = "select member_id, version, ttl_us";

	/** No term may end if the machine is paused for a while. */
	private static final LeaseTiming TIMING = LeaseTiming.of(Duration.ofSeconds(30), Duration.ofSeconds(1), null);

	/** The same, where what comes once per ttl is waited for. */
	private static final Duration TTL = Duration.ofSeconds(12);

	@Parameter
	TestDatabase database;

	private CountingDataSource dataSource;

	private Cluster cluster;

	@BeforeEach
	void makeCluster() {
		this.dataSource = new CountingDataSource(this.database.make());
		this.cluster = new Cluster(this.dataSource, TIMING);
	}

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@Test
	void thousandRolesAreRenewedByOneStatement() {
		Cluster.Node leader = startLeader();
		await().atMost(PATIENCE).until(() -> leader.store().requests("renew") >= 4);
		leader.elections().stop();
		assertThat(this.dataSource.count(RENEW)).isEqualTo(leader.store().requests("renew"));
		assertThat(this.dataSource.count(HELD)).isEqualTo(dialect().updateReturns() ? 0 : this.dataSource.count(RENEW));
		// The first of them is the rehearsal, which is made when the member starts.
		assertThat(this.dataSource.count("update leader_lease set epoch")).as("batches of acquires").isEqualTo(2);
	}

	@Test
	void followerPollsThousandRolesByOneStatement() {
		Cluster.Node leader = startLeader();
		Cluster.Node follower = this.cluster.start(roles());
		await().atMost(PATIENCE).until(() -> follower.store().requests("observe") >= 4);
		int before = follower.store().requests("observe") + leader.store().requests("observe");
		int polls = this.dataSource.count(OBSERVE);
		int after = follower.store().requests("observe") + leader.store().requests("observe");
		// Of each member one may have been asked for, and not be there yet.
		assertThat(polls).isBetween(before - 2, after);
		assertThat(follower.store().requests("acquire")).isZero();
		assertThat(this.dataSource.count("insert into leader_lease")).as("batches of new rows").isEqualTo(1);
	}

	@Test
	void idleFollowerOnlyAnnouncesItselfBetweenPolls() throws Exception {
		this.cluster = new Cluster(this.dataSource, LeaseTiming.of(TTL, Duration.ofSeconds(1), null));
		Cluster.Node leader = startLeader();
		Cluster.Node follower = this.cluster.start(roles());
		// Until then each has announced its roles, and read those of the other.
		await().atMost(PATIENCE)
			.until(() -> leader.elections().members().size() == 2 && follower.elections().members().size() == 2);
		// And once more, so that nothing of the start is left to be sent.
		long announced = count(this.dataSource.statements(), LIVES);
		await().atMost(PATIENCE).until(() -> count(this.dataSource.statements(), LIVES) >= announced + 2);
		int known = this.dataSource.statements().size();
		long begin = System.nanoTime();
		await().atMost(PATIENCE)
			.until(() -> count(since(known), LIVES) >= 2 && count(since(known), LIST) >= 2
					&& count(since(known), OBSERVE) >= 1);
		List<String> statements = since(known);
		Duration took = Duration.ofNanos(System.nanoTime() - begin);
		assertThat(statements)
			.allMatch((sql) -> Stream.of(OBSERVE, LIVES, LIST, RENEW, HELD).anyMatch(sql::startsWith));
		// Two members, each once in a ttl; one of each may have begun just before.
		int most = 2 + 2 * (1 + (int) took.dividedBy(TTL));
		assertThat(count(statements, LIVES)).isBetween(2, most);
		assertThat(count(statements, LIST)).isBetween(2, most);
		assertThat(count(statements, OBSERVE)).as("polls in " + took).isBetween(1, mostPolls(took));
	}

	private List<String> since(int known) {
		List<String> all = this.dataSource.statements();
		return all.subList(known, all.size());
	}

	private static int count(List<String> statements, String beginning) {
		return (int) statements.stream().filter((sql) -> sql.startsWith(beginning)).count();
	}

	/**
	 * A member that is notified of free roles polls rarely; others poll as often as
	 * configured.
	 */
	private int mostPolls(Duration duration) {
		return dialect().platform().equals("postgresql") ? 4 + (int) duration.toSeconds()
				: 1 + (int) duration.dividedBy(Cluster.POLL_INTERVAL);
	}

	private Cluster.Node startLeader() {
		Cluster.Node leader = this.cluster.start(roles());
		await().atMost(PATIENCE)
			.until(() -> leader.elections().all().stream().allMatch((election) -> election.isLeader()));
		return leader;
	}

	private JdbcDialect dialect() {
		return JdbcDialects.of(this.database.name());
	}

	private static String[] roles() {
		String[] roles = new String[ROLES];
		for (int i = 0; i < ROLES; i++) {
			roles[i] = "role-" + i;
		}
		return roles;
	}

}
