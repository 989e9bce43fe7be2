package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over ZooKeeper whose servers, sessions and networks fail.
 */
@Order(1)
@Tag("verify")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ZooKeeperFaultTests {

	/** Beside the ttl: what a slow machine takes until somebody else leads. */
	private static final Duration SLACK = Duration.ofSeconds(2);

	/** Of members that are not to lose what they lead, whatever the machine does. */
	private static final Duration LONG_TTL = Duration.ofSeconds(30);

	private final String basePath = "/faults/" + UUID.randomUUID();

	private final List<ZooKeeperMember> members = new ArrayList<>();

	@AfterEach
	void close() {
		this.members.forEach(ZooKeeperMember::close);
	}

	@Test
	void roleIsHandedOverAtOnceBecauseTheFollowerIsNotified() {
		ZooKeeperMember a = member(ZooKeeperEnsemble.shared().connectString(), LONG_TTL, "duty");
		await().until(() -> a.leads("duty"));
		ZooKeeperMember b = follower("duty");
		a.elections.stop();
		// Listeners are notified asynchronously.
		await().until(() -> b.granted.get() != null && a.revoked.get() != null);
		// Polls are five seconds apart.
		assertThat(b.granted.get().since(a.revoked.get()))
			.isLessThan(Duration.ofMillis(500).plus(b.elections.longestPause()));
	}

	@Test
	void connectionThatIsLostWhileTheApplicationStartsIsWaitedForAgain() throws Exception {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(0))) {
			proxy.delayAnswers(Duration.ofMillis(500));
			CompletableFuture<ZooKeeperMember> starting = CompletableFuture
				.supplyAsync(() -> member("localhost:" + proxy.port(), LONG_TTL, "duty"));
			// The session is there, and what is asked in it is not answered.
			await().until(() -> proxy.roundTrips() == 2);
			proxy.refuse();
			await().until(() -> proxy.refused() > 1);
			proxy.heal();
			ZooKeeperMember member = starting.get(1, TimeUnit.MINUTES);
			await().until(() -> member.leads("duty"));
		}
	}

	/**
	 * The process lives, and so does what its leases live by.
	 */
	@Test
	void callThatDoesNotEndKeepsItsRoleOnlyUntilTheTermIsOver() {
		ZooKeeperMember a = member(ZooKeeperEnsemble.shared().connectString(), Duration.ofSeconds(10), "duty", "other");
		await().until(() -> a.leads("duty") && a.leads("other"));
		ZooKeeperMember b = follower("duty");
		RoleCall call = await().until(() -> a.elections.election("duty").enter(), Objects::nonNull);
		a.elections.election("duty").resign();
		await().until(() -> b.leads("duty"));
		assertThat(call.isValid()).isFalse();
		assertThat(a.leads("other")).isTrue();
		call.close();
	}

	@Test
	void expiredSessionEndsTheTermAndTheNextOneBegins() {
		// What the session held is waited for until it has run out.
		ZooKeeperMember a = member(ZooKeeperEnsemble.shared().connectString(), Duration.ofSeconds(10), "duty");
		await().until(() -> a.leads("duty"));
		ZooKeeperMember.expire(a.store);
		// In between it may lead for so short a time not that nobody sees it.
		await().until(() -> a.epoch("duty") == 2 && a.leads("duty"));
	}

	@Test
	void termOfAMemberThatIsCutOffEndsBeforeTheNextOneBegins() {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(1))) {
			ZooKeeperMember a = member("localhost:" + proxy.port(), "duty");
			await().until(() -> a.leads("duty"));
			ZooKeeperMember b = follower("duty");
			long epoch = a.epoch("duty");
			Moment cut = TimeSource.SYSTEM.now();
			proxy.freeze();
			while (!b.leads("duty")) {
				assertThat(TimeSource.SYSTEM.now().since(cut))
					.isLessThan(ZooKeeperMember.TTL.plus(SLACK).plus(b.elections.longestPause()));
				Thread.onSpinWait();
			}
			assertThat(a.leads("duty")).as("former leader").isFalse();
			assertThat(b.epoch("duty")).isEqualTo(epoch + 1);
			proxy.heal();
			await().until(a::answers);
			assertThat(a.leads("duty")).isFalse();
		}
	}

	@Test
	void memberLeavesADeadConnectionToAServerThatIsWell() {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(0))) {
			ZooKeeperMember a = member("localhost:" + proxy.port(), LONG_TTL, "duty");
			await().until(() -> a.leads("duty"));
			AtomicInteger renewals = new AtomicInteger();
			Moment dead = TimeSource.SYSTEM.now();
			proxy.halfOpen();
			a.elections.addRequestListener(
					(request, took, answered) -> renewals.addAndGet((answered && request.equals("renew")) ? 1 : 0));
			await().until(() -> renewals.get() > 0);
			// The client of ZooKeeper takes two thirds.
			assertThat(TimeSource.SYSTEM.now().since(dead).minus(a.elections.longestPause()))
				.isLessThan(LONG_TTL.dividedBy(2));
			assertThat(a.epoch("duty")).isOne();
		}
	}

	@Test
	void requestsThatArriveLateDoNotKeepARole() {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(2))) {
			ZooKeeperMember a = member("localhost:" + proxy.port(), "duty");
			await().until(() -> a.leads("duty"));
			long epoch = a.epoch("duty");
			proxy.holdRequests();
			await().until(() -> !a.leads("duty"));
			ZooKeeperMember b = follower("duty");
			await().until(() -> b.leads("duty"));
			proxy.heal();
			await().until(a::answers);
			assertThat(b.leads("duty")).isTrue();
			assertThat(a.leads("duty")).isFalse();
			assertThat(b.epoch("duty")).isEqualTo(epoch + 1);
		}
	}

	@Test
	void electionGoesOnWithoutTheServerThatLeadsAndTermsEndWithoutAMajority() {
		try (ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(Duration.ofMinutes(1))) {
			ZooKeeperMember a = member(ensemble.connectString(), "duty");
			await().until(() -> a.leads("duty"));
			int first = ensemble.leader();
			ensemble.kill(first);
			await().until(a::answers);
			await().until(() -> a.leads("duty"));
			long epoch = a.epoch("duty");
			int second = (first + 1) % 3;
			ensemble.kill(second);
			await().until(() -> !a.leads("duty") && !a.answers());
			ensemble.restart(first);
			ensemble.restart(second);
			await().atMost(Duration.ofSeconds(60)).until(() -> a.leads("duty"));
			await().until(a::answers);
			assertThat(a.epoch("duty")).isGreaterThanOrEqualTo(epoch);
		}
		finally {
			close();
			this.members.clear();
		}
	}

	/** Start a member, and waits until it has seen who leads. */
	private ZooKeeperMember follower(String role) {
		ZooKeeperMember member = member(ZooKeeperEnsemble.shared().connectString(), LONG_TTL, role);
		await().until(() -> member.epoch(role) > 0);
		return member;
	}

	private ZooKeeperMember member(String connectString, String... roles) {
		return member(connectString, ZooKeeperMember.TTL, roles);
	}

	private ZooKeeperMember member(String connectString, Duration ttl, String... roles) {
		ZooKeeperMember member = ZooKeeperMember.start(connectString, this.basePath, ttl, ZooKeeperEnsemble.TICK,
				roles);
		this.members.add(member);
		return member;
	}

}
