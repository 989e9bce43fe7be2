package io.leaderstarter.backend.jdbc.faults;

import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.state.LeaseTiming;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections in applications that have used up their pools of connections.
 */
@Tag("verify")
@Isolated("the pool makes its short time-out that of all connections in this JVM")
class ExhaustedPoolTests {

	private static final String ROLE = "invoices";

	private static final int POOL_SIZE = 2;

	@ParameterizedTest
	@EnumSource
	void leaderGoesOnAndFollowersKeepPolling(Database database) {
		ApplicationContextRunner runner = TestContexts.jdbc(database.create().getUrl())
			.withBean(LeaseTiming.class,
					() -> LeaseTiming.of(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofMillis(800)))
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + POOL_SIZE,
					"spring.datasource.hikari.connection-timeout=250");
		runner.run((first) -> runner.run((second) -> {
			LeaderElection leader = first.getBean(LeaderElections.class).join(ROLE);
			TestContexts.lead(first);
			LeaderElection other = second.getBean(LeaderElections.class).join(ROLE);
			TestContexts.ready(second);
			long epoch = leader.leadership().orElseThrow().epoch();
			List<Connection> taken = new ArrayList<>();
			try {
				for (int i = 0; i < POOL_SIZE; i++) {
					taken.add(take(first.getBean(HikariDataSource.class)));
					taken.add(take(second.getBean(HikariDataSource.class)));
				}
				AtomicInteger renewals = new AtomicInteger();
				first.getBean(DefaultLeaderElections.class).addRequestListener((request, took, answered) -> {
					if (request.equals("renew") && answered) {
						renewals.incrementAndGet();
					}
				});
				// One more, as one may be under way.
				Replicas.until("renewals", () -> renewals.get() > 3);
				assertThat(leader.leadership()).get().satisfies((term) -> assertThat(term.epoch()).isEqualTo(epoch));
				assertThat(other.isLeader()).isFalse();
				leader.resign();
				Replicas.until("other leader, with its pool used up too", other::isLeader);
			}
			finally {
				for (Connection connection : taken) {
					connection.close();
				}
			}
		}));
	}

	/** The pool is impatient, and connections may take a moment to be made. */
	private static Connection take(HikariDataSource pool) {
		return await().ignoreException(SQLTransientConnectionException.class)
			.until(pool::getConnection, Objects::nonNull);
	}

}
