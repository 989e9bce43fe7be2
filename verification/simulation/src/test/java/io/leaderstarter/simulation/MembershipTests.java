package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.simulation.SimulatedMember.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import static io.leaderstarter.simulation.SimulatedCluster.BRIEF;
import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the list of members, with members that share a store.
 */
class MembershipTests {

	/** The list is asked for once per ttl, or up to a tenth later. */
	private static final Duration NEXT_LIST = BRIEF.ttl().multipliedBy(11).dividedBy(10).plus(REQUESTS);

	/** A list that is older shows nobody. */
	private static final Duration STALE = BRIEF.ttl().multipliedBy(3);

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	@Test
	void membersKnowEachOtherAndWhatEachStandsFor() {
		SimulatedMember a = start("invoices", "reports");
		SimulatedMember b = start("invoices");
		for (SimulatedMember member : List.of(a, b)) {
			this.cluster.await(NEXT_LIST, () -> members(member).equals(ids(a, b)));
			assertThat(candidates(member, "invoices")).isEqualTo(ids(a, b));
			assertThat(candidates(member, "reports")).isEqualTo(ids(a));
			assertThat(candidates(member, "unknown")).isEmpty();
		}
	}

	@Test
	void memberThatStopsIsNotListedAnyMoreAndIsAgainWhenItStarts() {
		SimulatedMember a = start("invoices");
		SimulatedMember b = start("invoices");
		this.cluster.await(NEXT_LIST, () -> members(a).equals(ids(a, b)));
		b.elections().stop();
		assertThat(listed()).containsExactly(a.id());
		assertThat(b.elections().members()).isEmpty();
		this.cluster.await(NEXT_LIST, () -> members(a).equals(ids(a)));
		b.begin();
		this.cluster.await(NEXT_LIST, () -> members(a).equals(ids(a, b)) && members(b).equals(ids(a, b)));
	}

	@Test
	void roleThatIsPausedIsNotStoodFor() {
		SimulatedMember a = start("invoices", "reports");
		this.cluster.await(REQUESTS, () -> candidates(a, "invoices").equals(ids(a)));
		a.election("invoices").pause();
		// A list that is too old shows nobody at all.
		this.cluster.await(NEXT_LIST,
				() -> candidates(a, "reports").equals(ids(a)) && candidates(a, "invoices").isEmpty());
		a.election("invoices").resume();
		this.cluster.await(NEXT_LIST, () -> candidates(a, "invoices").equals(ids(a)));
	}

	@Test
	void listIsAskedForOncePerTtl() {
		List<Duration> asked = new ArrayList<>();
		this.cluster.member().timing(BRIEF).before("announce", () -> asked.add(this.cluster.now())).start("invoices");
		this.cluster.pass(REQUESTS);
		assertThat(asked).as("asked at once").hasSize(1);
		for (int lists = 2; lists <= 20; lists++) {
			int expected = lists;
			this.cluster.await(NEXT_LIST, () -> asked.size() >= expected);
			assertThat(asked.get(lists - 1).minus(asked.get(lists - 2))).isBetween(BRIEF.ttl(), NEXT_LIST);
		}
	}

	@Test
	void listThatCannotBeHadHarmsNobody() {
		SimulatedMember a = this.cluster.member().make("invoices");
		a.fail("announce", Fault.LOSE_REQUEST);
		a.begin();
		this.cluster.await(SOON, () -> a.leads("invoices"));
		int renewals = a.requests("renew");
		this.cluster.await(LASTING.renewInterval().plus(REQUESTS).multipliedBy(5),
				() -> a.requests("renew") >= renewals + 5);
		assertThat(a.requests("announce")).isPositive();
		assertThat(a.notified()).containsExactly("granted 1");
		assertThat(a.elections().storeStatus().isReachable()).isTrue();
	}

	@Test
	void listThatCannotBeHadIsSaidOnce() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.leaderstarter.election.StoreMonitor");
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		logged.start();
		logger.addAppender(logged);
		logger.setLevel(Level.INFO);
		try {
			SimulatedMember a = start("invoices");
			this.cluster.await(SOON, () -> a.leads("invoices"));
			a.fail("announce", Fault.LOSE_REQUEST);
			int before = a.requests("announce");
			this.cluster.await(NEXT_LIST.multipliedBy(5), () -> a.requests("announce") >= before + 5);
			assertThat(a.elections().storeStatus().isReachable()).isTrue();
			assertThat(logged.list)
				.filteredOn((event) -> event.getFormattedMessage().contains("cannot list the members"))
				.hasSize(1);
			assertThat(a.elections().members()).as("too old to be told").isEmpty();
			a.heal();
			this.cluster.await(NEXT_LIST, () -> a.elections().members().size() == 1);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(logged);
		}
	}

	@Test
	void listIsShownForThreeTtlsAndNotLonger() {
		SimulatedMember a = start("invoices");
		this.cluster.await(REQUESTS, () -> members(a).equals(ids(a)));
		a.fail("announce", Fault.LOSE_REQUEST);
		this.cluster.holds(STALE.minus(REQUESTS), () -> members(a).equals(ids(a)));
		this.cluster.await(REQUESTS.multipliedBy(2), () -> members(a).isEmpty());
	}

	@Test
	void memberThatStopsWhileTheStoreIsAwayDoesNotWaitForTheList() {
		SimulatedMember a = start("invoices");
		this.cluster.await(SOON, () -> a.leads("invoices") && members(a).equals(ids(a)));
		a.failAll(Fault.LOSE_REQUEST);
		this.cluster.await(BRIEF.renewInterval().plus(REQUESTS), () -> !a.elections().storeStatus().isReachable());
		a.elections().stop();
		assertThat(a.requests("withdraw")).isZero();
		a.heal();
		a.begin();
		// What it could not release has to run out.
		this.cluster.await(BRIEF.ttl().plus(SOON), () -> a.leads("invoices"));
		// So has the card that it could not withdraw.
		this.cluster.await(STALE.plus(NEXT_LIST), () -> members(a).equals(ids(a)) && a.leads("invoices"));
		a.elections().stop();
		assertThat(a.requests("withdraw")).isOne();
	}

	@Test
	void whatStrangersWroteIsNoCandidate() {
		SimulatedMember a = start("invoices");
		this.cluster.await(SOON, () -> members(a).equals(ids(a)));
		this.cluster.server().announce(identity("stranger"), new Presence("stranger", "x\0roles.5=AA"));
		this.cluster.await(NEXT_LIST, () -> members(a).contains("stranger") && candidates(a, "invoices").equals(ids(a))
				&& a.leads("invoices"));
	}

	private SimulatedMember start(String... roles) {
		return this.cluster.member().timing(BRIEF).start(roles);
	}

	/** Those that the store lists. Who asks is one of them, and gone at once. */
	private List<String> listed() {
		StoreIdentity asking = identity("asking");
		List<String> listed = this.cluster.server()
			.announce(asking, new Presence("asking", ""))
			.stream()
			.map(Presence::member)
			.filter((member) -> !member.equals("asking"))
			.toList();
		this.cluster.server().withdraw(asking);
		return listed;
	}

	private static StoreIdentity identity(String member) {
		return new StoreIdentity(SimulatedCluster.NAMESPACE, member, BRIEF.ttl());
	}

	private static List<String> ids(SimulatedMember... members) {
		return Stream.of(members).map(SimulatedMember::id).sorted().toList();
	}

	private static List<String> members(SimulatedMember member) {
		return member.elections().members().stream().map((listed) -> listed.id()).toList();
	}

	private static List<String> candidates(SimulatedMember member, String role) {
		return member.elections().candidates(role).stream().map((candidate) -> candidate.member().id()).toList();
	}

}
