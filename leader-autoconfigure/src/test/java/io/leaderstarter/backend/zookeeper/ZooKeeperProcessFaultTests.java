package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.ZooKeeperLeaderAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import io.leaderstarter.testsupport.ZooKeeperProcesses;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over ZooKeeper whose servers are killed, or paused unnoticed: their
 * connections stay open, and nothing is answered.
 */
@Tag("verify")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ZooKeeperProcessFaultTests {

	/** That of users, as the client waits up to a second before it goes elsewhere. */
	private static final Duration TTL = Duration.ofSeconds(15);

	private static ZooKeeperProcesses servers;

	private final String basePath = "/faults-" + UUID.randomUUID();

	private final List<ZooKeeperMember> members = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		servers = ZooKeeperProcesses.started(ZooKeeperEnsemble.TICK);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@AfterEach
	void heal() {
		servers.heal();
		this.members.forEach(ZooKeeperMember::close);
	}

	@Test
	void memberLeavesAPausedServerInLessThanAThirdOfTheTtlAndKeepsLeading() {
		int follower = servers.followerBeside(servers.leader());
		ZooKeeperMember a = leaderAt(follower);
		Moment frozen = TimeSource.SYSTEM.now();
		servers.freeze(follower);
		await().until(() -> a.server() != 0 && a.server() != servers.port(follower));
		Duration took = TimeSource.SYSTEM.now().since(frozen).minus(a.elections.longestPause());
		assertThat(took).isLessThan(TTL.dividedBy(3));
		awaitRenewal(a);
		assertThat(a.leads("duty")).isTrue();
		assertThat(a.epoch("duty")).isOne();
		assertThat(a.revoked).hasNullValue();
	}

	/**
	 * Until then requests wait, also those that the server could answer by itself. To
	 * leave it for that would end a renewal that is under way.
	 */
	@Test
	void memberStaysWithAServerThatWaitsForTheOneThatLeads() {
		// So long that the servers do not give each other up meanwhile.
		Duration tick = Duration.ofSeconds(3);
		try (ZooKeeperProcesses slow = ZooKeeperProcesses.started(tick);
				ZooKeeperMember a = ZooKeeperMember.start(slow.connectString(), this.basePath, TTL.multipliedBy(2),
						tick, "duty")) {
			await().until(() -> a.leads("duty"));
			int leader = slow.leader();
			int port = slow.port(slow.followerBeside(leader));
			a.goTo(port);
			Set<Integer> seen = ConcurrentHashMap.newKeySet();
			slow.freeze(leader);
			a.askAll();
			await().during(Duration.ofSeconds(8)).until(() -> seen.add(a.server()) || !seen.isEmpty());
			slow.goOn(leader);
			awaitRenewal(a);
			seen.add(a.server());
			assertThat(seen).containsExactly(port);
			assertThat(a.epoch("duty")).isOne();
		}
	}

	@Test
	void serverThatIsNotUsedMayBeKilled() {
		int leader = servers.leader();
		ZooKeeperMember a = leaderAt(leader);
		servers.kill(servers.followerBeside(leader));
		awaitRenewal(a);
		assertThat(a.server()).isEqualTo(servers.port(leader));
		assertThat(a.epoch("duty")).isOne();
		assertThat(a.revoked).hasNullValue();
	}

	@Test
	void memberLeavesAKilledServerAndGoesOnLeading() {
		int follower = servers.followerBeside(servers.leader());
		ZooKeeperMember a = leaderAt(follower);
		servers.kill(follower);
		await().until(() -> a.server() != 0 && a.server() != servers.port(follower));
		awaitRenewal(a);
		assertThat(a.epoch("duty")).isOne();
		assertThat(a.revoked).hasNullValue();
	}

	/**
	 * The servers need some time to find another one that leads them. Whether that is
	 * less than the ttl depends on their settings.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "frozen", "killed" })
	void somebodyLeadsAfterTheServerThatLeadsIsGone(String how) {
		int leader = servers.leader();
		ZooKeeperMember a = leaderAt(leader);
		ZooKeeperMember b = member();
		await().until(() -> b.epoch("duty") == 1);
		Moment gone = TimeSource.SYSTEM.now();
		if (how.equals("frozen")) {
			servers.freeze(leader);
		}
		else {
			servers.kill(leader);
		}
		// Read before it is asked, so that at that moment at the earliest it led.
		AtomicReference<Moment> led = new AtomicReference<>(gone);
		AtomicInteger renewals = renewals(a, b);
		await().atMost(TTL.multipliedBy(3)).until(() -> {
			Moment now = TimeSource.SYSTEM.now();
			if (a.leads("duty")) {
				led.set(now);
			}
			return renewals.get() > 0 && (a.leads("duty") || b.leads("duty"));
		});
		if (b.leads("duty")) {
			await().until(() -> b.granted.get() != null);
			assertThat(b.granted.get().since(led.get())).isPositive();
		}
		servers.heal();
		await().until(() -> a.answers() && b.answers());
		await().until(() -> a.leads("duty") ^ b.leads("duty"));
	}

	@Test
	void applicationStartsWithoutAMajorityAndLeadsWhenItIsThere() {
		int leader = servers.leader();
		servers.kill(servers.followerBeside(leader));
		servers.kill(leader);
		new ApplicationContextRunner().withInitializer(new JoinedRoles())
			.withPropertyValues("spring.application.name=test", "leader.lease.ttl=4s", "test.roles=duty",
					"leader.zookeeper.tick-time=500ms", "leader.zookeeper.base-path=" + this.basePath,
					"leader.zookeeper.connect-string=" + servers.connectString())
			.withConfiguration(
					AutoConfigurations.of(LeaderAutoConfiguration.class, ZooKeeperLeaderAutoConfiguration.class))
			.run((context) -> {
				TestContexts.ready(context);
				DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
				LeaderHealthIndicator health = new LeaderHealthIndicator(elections, null);
				await().until(() -> !elections.storeStatus().isReachable());
				assertThat(health.health().getDetails()).containsEntry("backendReachable", false)
					.hasEntrySatisfying("backendFailure",
							(failure) -> assertThat(failure.toString()).contains("no majority of its servers"));
				servers.heal();
				await().until(() -> elections.election("duty").isLeader());
				assertThat(health.health().getDetails()).containsEntry("backendReachable", true);
			});
	}

	private ZooKeeperMember leaderAt(int server) {
		ZooKeeperMember member = member();
		await().until(() -> member.leads("duty"));
		member.goTo(servers.port(server));
		return member;
	}

	private ZooKeeperMember member() {
		ZooKeeperMember member = ZooKeeperMember.start(servers.connectString(), this.basePath, TTL,
				ZooKeeperEnsemble.TICK, "duty");
		this.members.add(member);
		return member;
	}

	/** Wait until the servers have confirmed that it still leads. */
	private static void awaitRenewal(ZooKeeperMember member) {
		AtomicInteger renewals = renewals(member);
		await().atMost(TTL).until(() -> renewals.get() > 0);
	}

	/** Counts the renewals that are answered from here on. */
	private static AtomicInteger renewals(ZooKeeperMember... members) {
		AtomicInteger renewals = new AtomicInteger();
		for (ZooKeeperMember member : members) {
			member.elections.addRequestListener((request, took, answered) -> {
				if (answered && request.equals("renew")) {
					renewals.incrementAndGet();
				}
			});
		}
		return renewals;
	}

}
