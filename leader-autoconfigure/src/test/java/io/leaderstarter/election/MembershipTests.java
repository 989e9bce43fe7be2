package io.leaderstarter.election;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Membership} on a server whose table of members is locked. What else it
 * does is tested in virtual time.
 */
@Tag("verify")
class MembershipTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void listThatIsLockedDoesNotEndTerms() throws Exception {
		DataSource postgres = PostgresServer.newDatabase();
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(12), Duration.ofSeconds(1), null);
		try (Cluster locked = new Cluster(postgres, timing)) {
			Cluster.Node a = locked.start("invoices");
			await().atMost(PATIENCE)
				.until(() -> a.leads("invoices") && List.of(a.member).equals(a.elections().members()));
			try (Connection blocker = postgres.getConnection(); Statement lock = blocker.createStatement()) {
				blocker.setAutoCommit(false);
				lock.executeUpdate("lock table leader_member");
				int announced = a.store().requests("announce");
				await().atMost(PATIENCE).until(() -> a.store().requests("announce") > announced);
				int renewals = a.store().requests("renew");
				await().atMost(PATIENCE).until(() -> a.store().requests("renew") >= renewals + 3);
				blocker.rollback();
			}
			assertThat(a.notified).containsExactly("granted 1");
			assertThat(a.leads("invoices")).isTrue();
		}
	}

}
