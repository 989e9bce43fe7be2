package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;

import io.leaderstarter.election.Cluster;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.testsupport.CountingDataSource;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Counts what reaches the database. Any number of roles that fits into one statement
 * costs one statement. Where an update cannot tell which rows it changed, as on MariaDB,
 * a query that does follows each of them, also for any number of roles.
 */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
class StatementCountTests {

	private static final int ROLES = 1000;

	private static final String OBSERVE = "select role, epoch, holder";

	private static final String RENEW = "update leader_lease set expires_at_us";

	private static final String HELD = "select role, epoch, tenure";

	private static final String LIVES = "update leader_member set seen_at_us";

	private static final String LIST = "select member_id, version, ttl_us";

	private static final Duration TTL = Duration.ofSeconds(3);

	@Parameter
	TestDatabase database;

	private CountingDataSource dataSource;

	private Cluster cluster;

	@BeforeEach
	void makeCluster() {
		this.dataSource = new CountingDataSource(this.database.make());
		this.cluster = new Cluster(this.dataSource, TTL);
	}

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@Test
	void thousandRolesAreRenewedByOneStatement() {
		// No term may end if the machine stands still for a moment.
		this.cluster = new Cluster(this.dataSource, TTL.multipliedBy(3));
		Cluster.Node leader = startLeader();
		await().atMost(Duration.ofSeconds(20)).until(() -> leader.store().requests("renew") >= 4);
		leader.elections().stop();
		assertThat(this.dataSource.count(RENEW)).isEqualTo(leader.store().requests("renew"));
		assertThat(this.dataSource.count(HELD)).isEqualTo(dialect().updateReturns() ? 0 : this.dataSource.count(RENEW));
		// The first of them is the rehearsal, which is made when the member starts.
		assertThat(this.dataSource.count("update leader_lease set epoch")).as("batches of acquires").isEqualTo(2);
	}

	@Test
	void followerLooksAtThousandRolesByOneStatement() {
		Cluster.Node leader = startLeader();
		Cluster.Node follower = this.cluster.start(roles());
		await().atMost(Duration.ofSeconds(20)).until(() -> follower.store().requests("observe") >= 4);
		int looks = this.dataSource.count(OBSERVE);
		int looksOfFollower = follower.store().requests("observe");
		int looksOfLeader = leader.store().requests("observe");
		assertThat(looks - looksOfLeader).isBetween(looksOfFollower - 1, looksOfFollower);
		assertThat(follower.store().requests("acquire")).isZero();
		assertThat(this.dataSource.count("insert into leader_lease")).as("batches of new rows").isEqualTo(1);
	}

	@Test
	void idleFollowerSaysNothingBetweenLooksButThatItLives() throws Exception {
		Cluster.Node leader = startLeader();
		Cluster.Node follower = this.cluster.start(roles());
		// Until then each has told what it stands for, and read that of the other.
		await().atMost(Duration.ofSeconds(20))
			.until(() -> leader.elections().members().size() == 2 && follower.elections().members().size() == 2);
		Thread.sleep(2000);
		int all = this.dataSource.count();
		int lives = this.dataSource.count(LIVES);
		int lists = this.dataSource.count(LIST);
		int looks = this.dataSource.count(OBSERVE);
		int kept = this.dataSource.count(RENEW) + this.dataSource.count(HELD);
		Thread.sleep(6000);
		int looked = this.dataSource.count(OBSERVE) - looks;
		int lived = this.dataSource.count(LIVES) - lives;
		int listed = this.dataSource.count(LIST) - lists;
		assertThat(this.dataSource.count() - all).as("statements")
			.isEqualTo(looked + lived + listed + this.dataSource.count(RENEW) + this.dataSource.count(HELD) - kept);
		// Two members in two times the ttl; one of each may have begun just before.
		assertThat(lived).isBetween(2, 6);
		assertThat(listed).isBetween(2, 6);
		assertThat(looked).as("looks in 6 s").isBetween(1, mostLooks(Duration.ofSeconds(6)));
	}

	/**
	 * Who is told of free roles looks seldom; others look as often as they are set to.
	 */
	private int mostLooks(Duration duration) {
		return dialect().notifies() ? 10 : (int) duration.dividedBy(Cluster.POLL_INTERVAL);
	}

	private Cluster.Node startLeader() {
		Cluster.Node leader = this.cluster.start(roles());
		await().atMost(Duration.ofSeconds(20))
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
