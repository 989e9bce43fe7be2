package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.ElectionThreads;
import io.leaderstarter.testsupport.EtcdCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the threads, requests and processor time of a member over etcd. Other
 * elections in this JVM would count too.
 */
@Tag("verify")
@Isolated
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EtcdCostTests {

	private static final Duration LONG_TTL = Duration.ofSeconds(30);

	/** Of a core. */
	private static final double SHARE_WITHOUT_SERVERS = 0.02;

	/** The workers, and the threads for listeners and gates. */
	private static final int MOST_THREADS = 10;

	private final String prefix = "/cost/" + UUID.randomUUID();

	private EtcdMember member;

	@AfterEach
	void close() {
		this.member.close();
	}

	@Test
	void oneKeepAliveAndOneReadProveAThousandRoles() {
		String[] roles = IntStream.range(0, 1000).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		Set<Long> others = ElectionThreads.ours().keySet();
		this.member = EtcdMember.start(EtcdCluster.shared().addresses(), this.prefix,
				LeaseTiming.of(LONG_TTL, Duration.ofSeconds(1), null), roles);
		await().until(() -> Stream.of(roles).allMatch(this.member::leads));
		Map<Long, String> threads = ElectionThreads.ours();
		threads.keySet().removeAll(others);
		// However many roles there are.
		assertThat(threads.values()).hasSizeLessThanOrEqualTo(MOST_THREADS);
		EtcdCluster cluster = EtcdCluster.shared();
		long[] before = LongStream
			.of(cluster.requests("LeaseKeepAlive"), cluster.requests("Range"), cluster.requests("Txn"))
			.toArray();
		AtomicInteger renewals = new AtomicInteger();
		this.member.elections.addRequestListener(
				(request, took, answered) -> renewals.addAndGet((answered && request.equals("renew")) ? 1 : 0));
		await().until(() -> renewals.get() >= 6);
		long keepAlives = cluster.requests("LeaseKeepAlive") - before[0];
		long reads = cluster.requests("Range") - before[1];
		// Some are not answered yet, and who is there is read as well, but less often.
		assertThat(keepAlives).isBetween(6L, renewals.get() * 2L);
		assertThat(reads).isBetween(6L, renewals.get() * 2L);
		assertThat(cluster.requests("Txn") - before[2]).isLessThanOrEqualTo(2);
		assertThat(Stream.of(roles)).allMatch(this.member::leads);
		assertThat(this.member.epoch("role-999")).isOne();
	}

	@Test
	void memberWithoutServersTakesNextToNoProcessorTime() {
		try (EtcdCluster cluster = EtcdCluster.of(3)) {
			this.member = EtcdMember.start(cluster.addresses(), this.prefix, EtcdMember.TTL, "duty");
			await().until(() -> this.member.leads("duty"));
			IntStream.range(0, 3).forEach(cluster::kill);
			await().until(() -> !this.member.leads("duty") && !this.member.answers());
			// Once it is compiled.
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(ElectionThreads.shareOfACore(Duration.ofSeconds(3)))
					.isLessThan(SHARE_WITHOUT_SERVERS));
			cluster.start();
			await().until(() -> this.member.leads("duty"));
		}
	}

}
