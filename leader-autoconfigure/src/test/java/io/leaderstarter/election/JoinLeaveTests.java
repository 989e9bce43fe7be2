package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.leaderstarter.TestContexts;
import io.leaderstarter.election.Cluster.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what threads can ask of elections at once: to join roles, and to wait for one.
 * What needs no real threads is tested in virtual time.
 */
class JoinLeaveTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final Cluster cluster = new Cluster();

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void memberCompetesForARoleFromTheMomentItIsPolled() {
		Node node = this.cluster.start();
		List<Boolean> joined = new CopyOnWriteArrayList<>();
		node.elections.addJoinListener((election) -> joined.add(((RoleElection) election).participation().isJoined()));
		node.elections.join("a");
		assertThat(joined).containsExactly(true);
	}

	@Test
	void thoseOfOneProcessHaveTheirTurnOneAfterTheOther() throws Exception {
		Node node = this.cluster.make();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger done = new AtomicInteger();
		List<Thread> threads = Stream.generate(() -> new Thread(() -> runExclusively(node, LONG, () -> {
			assertThat(inside.incrementAndGet()).isOne();
			done.incrementAndGet();
			inside.decrementAndGet();
		}))).limit(4).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join(LONG.toMillis());
		}
		assertThat(done).hasValue(4);
		TestContexts.await().until(() -> node.elections.all().isEmpty());
	}

	private static boolean runExclusively(Node node, Duration timeout, Runnable work) {
		try {
			return node.elections.runExclusively("migration", timeout, work);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
