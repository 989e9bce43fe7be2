package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.testsupport.ElectionThreads;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the threads, requests and processor time of a member over ZooKeeper. Other
 * elections in this JVM would count too.
 */
@Tag("verify")
@Isolated
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ZooKeeperCostTests {

	/** Of a core. */
	private static final double SHARE_WITHOUT_SERVERS = 0.02;

	/** The workers, and the threads for listeners and gates. */
	private static final int MOST_THREADS = 10;

	private final String basePath = "/cost/" + UUID.randomUUID();

	private ZooKeeperMember member;

	@AfterEach
	void close() {
		this.member.close();
	}

	@Test
	void oneRequestRenewsAThousandRoles() {
		String[] roles = IntStream.range(0, 1000).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		Set<Long> others = ElectionThreads.ours().keySet();
		// The ttl outlasts a short pause of the machine.
		this.member = start("localhost:" + ZooKeeperEnsemble.shared().ports().get(0), Duration.ofSeconds(15), roles);
		await().until(() -> Stream.of(roles).allMatch(this.member::leads));
		Map<Long, String> threads = ElectionThreads.ours();
		threads.keySet().removeAll(others);
		// However many roles there are.
		assertThat(threads.values()).hasSizeLessThanOrEqualTo(MOST_THREADS);
		AtomicInteger renewals = new AtomicInteger();
		this.member.elections.addRequestListener(
				(request, took, answered) -> renewals.addAndGet((answered && request.equals("renew")) ? 1 : 0));
		int before = ZooKeeperEnsemble.shared().received(0);
		await().until(() -> renewals.get() >= 3);
		// The rest asks whether servers are alive, and who is there.
		assertThat(ZooKeeperEnsemble.shared().received(0) - before).isBetween(3, 80);
		assertThat(Stream.of(roles)).allMatch(this.member::leads);
		assertThat(this.member.epoch("role-999")).isOne();
	}

	@Test
	void memberWithoutAMajorityOfServersTakesNextToNoProcessorTime() {
		try (ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(Duration.ofMinutes(1))) {
			this.member = start(ensemble.connectString(), ZooKeeperMember.TTL, "duty");
			await().until(() -> this.member.leads("duty"));
			ensemble.kill(0);
			ensemble.kill(1);
			await().until(() -> !this.member.leads("duty") && !this.member.answers());
			// Once it is compiled.
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(ElectionThreads.shareOfACore(Duration.ofSeconds(3)))
					.isLessThan(SHARE_WITHOUT_SERVERS));
			ensemble.restart(0);
			ensemble.restart(1);
			await().atMost(Duration.ofMinutes(1)).until(() -> this.member.leads("duty"));
			this.member.close();
		}
	}

	private ZooKeeperMember start(String connectString, Duration ttl, String... roles) {
		return ZooKeeperMember.start(connectString, this.basePath, ttl, ZooKeeperEnsemble.TICK, roles);
	}

}
