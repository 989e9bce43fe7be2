package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.CompactOption;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.health.contributor.Status;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over etcd whose servers, leases and networks fail.
 */
@Order(1)
@Tag("verify")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EtcdFaultTests {

	/** Beside the ttl: what etcd takes to end a lease, and a slow machine. */
	private static final Duration SLACK = Duration.ofSeconds(4);

	/** So long that polls are rare, and that shares of it are long for a busy machine. */
	private static final Duration LONG_TTL = Duration.ofSeconds(30);

	private final String prefix = "/faults/" + UUID.randomUUID();

	private final List<EtcdMember> members = new ArrayList<>();

	@AfterEach
	void close() {
		this.members.forEach(EtcdMember::close);
		this.members.clear();
	}

	@Test
	void roleIsHandedOverAtOnceBecauseTheFollowerIsNotified() {
		EtcdMember a = member(EtcdCluster.shared().addresses(), LONG_TTL, "duty");
		await().until(() -> a.leads("duty"));
		EtcdMember b = member(EtcdCluster.shared().addresses(), LONG_TTL, "duty");
		await().until(() -> b.epoch("duty") > 0);
		awaitWatch(b);
		assertThatRoleIsHandedOver(a, b);
	}

	/**
	 * The process lives, and so does what its leases live by.
	 */
	@Test
	void callThatDoesNotEndKeepsItsRoleOnlyUntilTheTermIsOver() {
		EtcdMember a = often(Duration.ofSeconds(10), "duty", "other");
		await().until(() -> a.leads("duty") && a.leads("other"));
		EtcdMember b = follower("duty");
		RoleCall call = await().until(() -> a.elections.election("duty").enter(), Objects::nonNull);
		a.elections.election("duty").resign();
		await().until(() -> b.leads("duty"));
		assertThat(call.isValid()).isFalse();
		assertThat(a.leads("other")).isTrue();
		call.close();
	}

	@Test
	void watchIsMadeAgainAfterItsConnectionBrokeAndHistoryWasCompacted() throws Exception {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(0));
				Client other = EtcdCluster.shared().client()) {
			EtcdMember a = member(EtcdCluster.shared().addresses(), LONG_TTL, "duty");
			await().until(() -> a.leads("duty"));
			EtcdMember b = member(List.of("127.0.0.1:" + proxy.port()), LONG_TTL, "duty");
			await().until(() -> b.epoch("duty") > 0);
			awaitWatch(b);
			proxy.refuse();
			proxy.cut();
			await().until(() -> !b.answers());
			GetResponse latest = other.getKVClient().get(EtcdKeys.bytes("x")).get();
			other.getKVClient().compact(latest.getHeader().getRevision(), CompactOption.DEFAULT).get();
			proxy.heal();
			await().until(b::answers);
			awaitWatch(b);
			assertThatRoleIsHandedOver(a, b);
		}
	}

	@Test
	void leaseThatWasRevokedEndsTheTermAndTheNextOneBegins() {
		EtcdMember a = often(LONG_TTL, "duty");
		await().until(() -> a.leads("duty"));
		try (Client other = EtcdCluster.shared().client()) {
			other.getLeaseClient().revoke(a.store.memberLease().id()).join();
		}
		await().until(() -> a.leads("duty") && a.epoch("duty") == 2 && a.revoked.get() != null);
	}

	@Test
	void termOfAMemberThatIsCutOffEndsBeforeTheNextOneBegins() throws Exception {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(1))) {
			EtcdMember a = member(List.of("127.0.0.1:" + proxy.port()), EtcdMember.TTL, "duty");
			await().until(() -> a.leads("duty"));
			EtcdMember b = follower("duty");
			long epoch = a.epoch("duty");
			Moment cut = TimeSource.SYSTEM.now();
			proxy.freeze();
			await().pollInterval(Duration.ofMillis(1)).until(() -> b.leads("duty"));
			assertThat(TimeSource.SYSTEM.now().since(cut))
				.isLessThan(EtcdMember.TTL.plus(SLACK).plus(b.elections.longestPause()));
			assertThat(a.leads("duty")).as("former leader").isFalse();
			assertThat(b.epoch("duty")).isEqualTo(epoch + 1);
			proxy.heal();
			await().until(a::answers);
			assertThat(a.leads("duty")).isFalse();
		}
	}

	@Test
	void requestsThatArriveLateDoNotKeepARole() {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(2))) {
			EtcdMember a = member(List.of("127.0.0.1:" + proxy.port()), EtcdMember.TTL, "duty");
			await().until(() -> a.leads("duty"));
			long epoch = a.epoch("duty");
			proxy.holdRequests();
			await().until(() -> !a.leads("duty"));
			EtcdMember b = follower("duty");
			await().until(() -> b.leads("duty"));
			proxy.heal();
			await().until(a::answers);
			assertThat(b.leads("duty")).isTrue();
			assertThat(a.leads("duty")).isFalse();
			assertThat(b.epoch("duty")).isEqualTo(epoch + 1);
		}
	}

	@Test
	void electionGoesOnWithoutTheServerThatLeadsAndTermsEndWithoutAMajority() throws Exception {
		try (EtcdCluster cluster = EtcdCluster.of(3)) {
			EtcdMember a = member(cluster.addresses(), EtcdMember.TTL, "duty");
			await().until(() -> a.leads("duty"));
			int first = cluster.leader();
			cluster.kill(first);
			awaitRenewal(a);
			await().until(() -> a.leads("duty"));
			long epoch = a.epoch("duty");
			int second = (first + 1) % 3;
			cluster.kill(second);
			await().until(() -> !a.leads("duty") && !a.answers());
			LeaderHealthIndicator health = new LeaderHealthIndicator(a.elections, Duration.ofMillis(1));
			assertThat(health.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(health.health().getDetails()).containsEntry("backendReachable", false)
				.hasEntrySatisfying("backendFailure", (failure) -> assertThat(failure.toString()).contains("etcd"));
			cluster.kill((first + 2) % 3);
			cluster.start();
			await().until(() -> a.leads("duty") && a.answers());
			assertThat(a.epoch("duty")).isGreaterThanOrEqualTo(epoch);
			assertThat(health.health().getStatus()).isEqualTo(Status.UP);
			assertThat(health.health().getDetails()).containsEntry("backendReachable", true)
				.containsEntry("leads", List.of("duty"))
				.doesNotContainKey("backendFailure");
			close();
		}
	}

	@Test
	void pausedServerIsLeftWithinAThirdOfTheTtl() {
		try (EtcdCluster cluster = EtcdCluster.of(3)) {
			EtcdMember a = member(cluster.addresses(), LONG_TTL, "duty");
			await().until(() -> a.leads("duty"));
			int frozen = server(cluster, a);
			if (frozen == cluster.leader()) {
				a.store.servers().leave(a.store.servers().present());
				frozen = server(cluster, a);
			}
			AtomicReference<Moment> failed = new AtomicReference<>();
			AtomicReference<Duration> took = new AtomicReference<>();
			a.elections.addRequestListener((request, duration, success) -> {
				if (!request.equals("renew")) {
					return;
				}
				Moment now = TimeSource.SYSTEM.now();
				if (!success) {
					failed.compareAndSet(null, now.plus(duration.negated()));
				}
				else if (failed.get() != null) {
					took.compareAndSet(null, now.since(failed.get()));
				}
			});
			cluster.freeze(frozen);
			await().until(() -> took.get() != null);
			assertThat(took.get().minus(a.elections.longestPause())).isLessThan(LONG_TTL.dividedBy(3));
			assertThat(a.leads("duty")).isTrue();
			assertThat(a.epoch("duty")).isOne();
			cluster.goOn(frozen);
			close();
		}
	}

	@Test
	void pausedLeaderOfTheServersIsReplacedAndOneMemberLeads() throws Exception {
		try (EtcdCluster cluster = EtcdCluster.of(3)) {
			EtcdMember a = member(cluster.addresses(), EtcdMember.TTL, "duty");
			await().until(() -> a.leads("duty"));
			EtcdMember b = member(cluster.addresses(), EtcdMember.TTL, "duty");
			await().until(() -> b.epoch("duty") > 0);
			int frozen = cluster.leader();
			cluster.freeze(frozen);
			AtomicBoolean both = new AtomicBoolean();
			watch(EtcdMember.TTL.plusMillis(1500), both, a, b);
			cluster.goOn(frozen);
			watch(EtcdMember.TTL.multipliedBy(3).dividedBy(2).minusMillis(1500), both, a, b);
			await().until(() -> a.leads("duty") != b.leads("duty") && a.answers() && b.answers());
			await().until(() -> a.epoch("duty") == b.epoch("duty"));
			// The old leader of these versions may end a lease that is kept alive.
			if (!ServerVersion.losesLeases(cluster.version())) {
				assertThat(both).as("two members led").isFalse();
				assertThat(a.epoch("duty")).isOne();
			}
			close();
		}
	}

	/** Watch for a while whether both lead. */
	private static void watch(Duration duration, AtomicBoolean both, EtcdMember a, EtcdMember b) {
		Moment begin = TimeSource.SYSTEM.now();
		await().pollInterval(Duration.ofMillis(2)).until(() -> {
			if (a.leads("duty") && b.leads("duty")) {
				both.set(true);
			}
			return TimeSource.SYSTEM.now().since(begin).compareTo(duration) >= 0;
		});
	}

	private static void assertThatRoleIsHandedOver(EtcdMember a, EtcdMember b) {
		a.elections.stop();
		// Listeners are notified asynchronously.
		await().until(() -> b.granted.get() != null && a.revoked.get() != null);
		// Otherwise polls are five seconds apart.
		assertThat(b.granted.get().since(a.revoked.get()))
			.isLessThan(LONG_TTL.dividedBy(20).plus(b.elections.longestPause()));
		assertThat(b.epoch("duty")).isEqualTo(2);
	}

	/** Only a member that watches polls less than once a second. */
	private static void awaitWatch(EtcdMember member) {
		await().until(() -> member.store.pollInterval().compareTo(Duration.ofSeconds(1)) > 0);
	}

	private static void awaitRenewal(EtcdMember member) {
		AtomicReference<Boolean> renewed = new AtomicReference<>(false);
		member.elections.addRequestListener(
				(request, took, success) -> renewed.compareAndSet(false, success && request.equals("renew")));
		await().until(() -> renewed.get() || member.revoked.get() != null);
	}

	/** The position of the server that a member asks. */
	private static int server(EtcdCluster cluster, EtcdMember member) {
		String where = member.store.servers().present().where();
		return IntStream.range(0, 3)
			.filter((i) -> where.endsWith(cluster.addresses().get(i)))
			.findFirst()
			.orElseThrow();
	}

	/** Start a member that renews so often that most of its ttl is always left. */
	private EtcdMember often(Duration ttl, String... roles) {
		EtcdMember member = EtcdMember.start(EtcdCluster.shared().addresses(), this.prefix,
				LeaseTiming.of(ttl, Duration.ofSeconds(1), null), roles);
		this.members.add(member);
		return member;
	}

	/** Start a member, and waits until it has seen who leads. */
	private EtcdMember follower(String role) {
		EtcdMember member = member(EtcdCluster.shared().addresses(), LONG_TTL, role);
		await().until(() -> member.epoch(role) > 0);
		return member;
	}

	private EtcdMember member(List<String> addresses, Duration ttl, String... roles) {
		EtcdMember member = EtcdMember.start(addresses, this.prefix, ttl, roles);
		this.members.add(member);
		return member;
	}

}
