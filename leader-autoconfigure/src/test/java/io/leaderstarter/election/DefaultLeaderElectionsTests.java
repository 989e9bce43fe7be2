package io.leaderstarter.election;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.Cluster.Node;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DefaultLeaderElections} with threads of the application that block.
 * What needs no real threads is tested in virtual time.
 */
class DefaultLeaderElectionsTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final Cluster cluster = new Cluster();

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@Test
	void listenerThatHangsOrThrowsHarmsNobody() {
		CountDownLatch never = new CountDownLatch(1);
		Node node = this.cluster.start();
		node.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				await(never);
			}

		});
		node.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				throw new IllegalStateException("a listener that fails");
			}

		});
		node.elections.join("a");
		soon().until(() -> node.notified.contains("granted 1"));
		int renewals = node.store.requests("renew");
		soon().until(() -> node.store.requests("renew") > renewals + 3);
		assertThat(node.leads("a")).isTrue();
		never.countDown();
	}

	@Test
	void callThatWaitsForAnotherRoleDuringTheStopIsNotKeptFromItsEnd() throws Exception {
		Node node = this.cluster.start(LONG, "a");
		soon().until(() -> node.leads("a"));
		RoleCall call = node.elections.election("a").enter();
		CountDownLatch stopped = new CountDownLatch(1);
		Thread stop = new Thread(() -> {
			node.elections.stop();
			stopped.countDown();
		});
		stop.start();
		soon().until(() -> !node.leads("a"));
		CountDownLatch answered = new CountDownLatch(1);
		Thread waiting = new Thread(() -> {
			try {
				node.elections.runExclusively("b", LONG, () -> {
				});
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			answered.countDown();
		});
		waiting.start();
		await(answered);
		assertThat(stopped.getCount()).isOne();
		call.close();
		await(stopped);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(LONG);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
