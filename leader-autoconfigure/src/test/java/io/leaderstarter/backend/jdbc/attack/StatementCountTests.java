package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;

import io.leaderstarter.election.Cluster;
import io.leaderstarter.testsupport.CountingDataSource;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Counts what reaches PostgreSQL. Any number of roles that fits into one statement costs
 * one statement.
 */
class StatementCountTests {

	private static final int ROLES = 1000;

	private static final String OBSERVE = "select role, epoch, holder";

	private static final String RENEW = "update leader_lease set expires_at_us";

	private final CountingDataSource dataSource = new CountingDataSource(PostgresServer.newDatabase());

	private final Cluster cluster = new Cluster(this.dataSource, Duration.ofSeconds(3));

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@Test
	void thousandRolesAreRenewedByOneStatement() {
		Cluster.Node leader = startLeader();
		await().atMost(Duration.ofSeconds(20)).until(() -> leader.store().requests("renew") >= 4);
		leader.elections().stop();
		assertThat(this.dataSource.count(RENEW)).isEqualTo(leader.store().requests("renew"));
		assertThat(this.dataSource.count("update leader_lease set epoch")).as("batches of acquires").isEqualTo(1);
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
	void idleFollowerSaysNothingBetweenLooks() throws Exception {
		startLeader();
		Cluster.Node follower = this.cluster.start(roles());
		await().atMost(Duration.ofSeconds(20)).until(() -> follower.store().requests("observe") >= 1);
		Thread.sleep(2000);
		int all = this.dataSource.count();
		int looks = this.dataSource.count(OBSERVE);
		int renewals = this.dataSource.count(RENEW);
		Thread.sleep(6000);
		int looked = this.dataSource.count(OBSERVE) - looks;
		assertThat(this.dataSource.count() - all).as("statements")
			.isEqualTo(looked + this.dataSource.count(RENEW) - renewals);
		assertThat(looked).as("looks in 6 s").isBetween(1, 10);
	}

	private Cluster.Node startLeader() {
		Cluster.Node leader = this.cluster.start(roles());
		await().atMost(Duration.ofSeconds(20))
			.until(() -> leader.elections().all().stream().allMatch((election) -> election.isLeader()));
		return leader;
	}

	private static String[] roles() {
		String[] roles = new String[ROLES];
		for (int i = 0; i < ROLES; i++) {
			roles[i] = "role-" + i;
		}
		return roles;
	}

}
