package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.Member;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leaderstarter.election.spi.StoreMember.attempt;
import static io.leaderstarter.election.spi.StoreMember.isTakeable;
import static io.leaderstarter.election.spi.StoreMember.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseStore}, which every store has to pass on its real server.
 * <p>
 * All stores of one test keep their leases in one place, and no other test uses it.
 */
public abstract class LeaseStoreContractTests {

	/** Longer than any test takes, so that nothing runs out unless it is meant to. */
	protected static final Duration LONG_TTL = Duration.ofMinutes(1);

	protected static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration CONTEST_PATIENCE = Duration.ofSeconds(60);

	private static final String NAMESPACE = "contract";

	private static final int MANY = 1500;

	private final List<LeaseStore> stores = Collections.synchronizedList(new ArrayList<>());

	/**
	 * Makes a store in the place of the present test, which nothing was done with yet.
	 */
	protected abstract LeaseStore createStore(StoreIdentity identity);

	/**
	 * The time of a lease that a test lets run out.
	 */
	protected Duration shortTtl() {
		return Duration.ofMillis(300);
	}

	/**
	 * Returns when the lease of a member has run out, which has a short time and is not
	 * renewed.
	 */
	protected void letRunOut(StoreMember holder, String role) {
		StoreMember observer = member("observer");
		await().atMost(PATIENCE).until(() -> isTakeable(observer.observe(role)));
	}

	/**
	 * Make a member end its announcements, which has a short time.
	 */
	protected void die(StoreMember member) {
	}

	/**
	 * Returns whether a request failed because a busy machine cost the store its
	 * connection, which its client makes anew by itself.
	 */
	protected boolean isConnectionLost(StoreException failure) {
		return false;
	}

	@AfterEach
	void closeStores() {
		this.stores.forEach(LeaseStore::close);
	}

	protected final StoreMember member(String idPrefix) {
		return member(idPrefix, LONG_TTL);
	}

	protected final StoreMember member(String idPrefix, Duration ttl) {
		return member(NAMESPACE, idPrefix, ttl, this::createStore);
	}

	protected final StoreMember member(String namespace, String idPrefix, Duration ttl,
			Function<StoreIdentity, LeaseStore> factory) {
		StoreIdentity identity = new StoreIdentity(namespace, Member.start(idPrefix, Map.of()).id(), ttl);
		LeaseStore store = factory.apply(identity);
		this.stores.add(store);
		store.prepare();
		return new StoreMember(identity, store);
	}

	// Looking

	@Test
	void unknownRoleBecomesKnownAndIsFree() {
		LeaseView view = member("a").observe("invoices");
		assertThat(view).isEqualTo(new LeaseView("invoices", 0, null));
		assertThat(member("b").observe("invoices")).isEqualTo(view);
	}

	@Test
	void everybodySeesWhoOwnsARole() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		for (StoreMember observer : List.of(a, member("b"))) {
			LeaseView view = observer.observe("invoices");
			assertThat(view.epoch()).isEqualTo(lease.epoch());
			assertThat(view.owner()).isNotNull();
			assertThat(view.owner().member()).isEqualTo(a.id());
			assertThat(view.owner().termId()).isEqualTo(lease.termId());
			LeaseView.Expiry expiry = view.owner().expiry();
			if (expiry != null) {
				assertThat(expiry.ttl()).isEqualTo(LONG_TTL);
				assertThat(expiry.remaining()).isPositive().isLessThanOrEqualTo(LONG_TTL);
			}
		}
	}

	@Test
	void nothingAskedIsNothingAnswered() {
		StoreMember a = member("a");
		assertThat(a.store().observe(List.of(), attempt())).isEmpty();
		assertThat(a.acquire()).isEmpty();
		assertThat(a.renew()).isEmpty();
		a.release();
	}

	// Acquiring

	@Test
	void freeRoleIsGrantedWithTheNextEpoch() {
		StoreMember a = member("a");
		LeaseView free = a.observe("invoices");
		LeaseRequest request = request(free);
		assertThat(a.acquire(request)).containsExactly(request.key());
		assertThat(request.key()).isEqualTo(new LeaseKey("invoices", free.epoch() + 1, request.termId()));
	}

	@Test
	void heldRoleIsGrantedToNobody() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		assertThat(member("b").tryToTake("invoices")).isEmpty();
		assertThat(a.tryToTake("invoices")).isEmpty();
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	@Test
	void leaseThatRanOutIsGrantedToAnother() {
		StoreMember a = member("a", shortTtl());
		LeaseKey first = a.take("invoices");
		letRunOut(a, "invoices");
		StoreMember b = member("b");
		LeaseKey second = b.take("invoices");
		assertThat(second.epoch()).isEqualTo(first.epoch() + 1);
		assertThat(a.renew(first)).isEmpty();
		a.release(first);
		assertThat(b.renew(second)).containsExactly(second);
	}

	@Test
	void roleIsGrantedOnlyWithTheEpochThatItHas() {
		StoreMember a = member("a");
		a.release(a.take("invoices"));
		long epoch = a.observe("invoices").epoch();
		assertThat(a.acquire(new LeaseRequest("invoices", epoch - 1, "late", null, false))).isEmpty();
		assertThat(a.acquire(new LeaseRequest("invoices", epoch + 1, "early", null, false))).isEmpty();
		assertThat(a.observe("invoices")).isEqualTo(new LeaseView("invoices", epoch, null));
		assertThat(a.acquire(new LeaseRequest("invoices", epoch, "right", null, false))).hasSize(1);
	}

	@Test
	void roleIsGrantedOnlyWithTheMarkThatWasSeen() {
		StoreMember a = member("a", shortTtl());
		StoreMember b = member("b");
		AtomicReference<LeaseView> seen = new AtomicReference<>();
		// Anew if it ran out before it was renewed.
		await().atMost(PATIENCE).ignoreExceptionsInstanceOf(StoreException.class).until(() -> {
			LeaseKey[] taken = a.tryToTake("invoices").toArray(LeaseKey[]::new);
			seen.set(b.observe("invoices"));
			return taken.length == 1 && a.renew(taken).containsAll(List.of(taken));
		});
		LeaseView before = seen.get();
		letRunOut(a, "invoices");
		if (before.owner().expiry() != null) {
			// To this member it is as if the clock was set back, and forth again.
			assertThat(b.acquire(request(before))).isEmpty();
			assertThat(b.acquire(over(before))).isEmpty();
		}
		assertThat(b.acquire(request(b.observe("invoices")))).hasSize(1);
	}

	@Test
	void leaseThatIsOverIsGrantedWhateverTheClockSaysUnlessItWasRenewed() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		StoreMember b = member("b");
		LeaseView before = b.observe("invoices");
		if (before.owner().expiry() != null) {
			a.renew(lease);
			assertThat(b.acquire(over(before))).isEmpty();
			LeaseView now = b.observe("invoices");
			assertThat(b.acquire(request(now))).isEmpty();
			assertThat(b.acquire(over(now))).extracting(LeaseKey::epoch).containsExactly(lease.epoch() + 1);
		}
	}

	@Test
	void requestThatArrivesTwiceIsGrantedOnce() {
		StoreMember a = member("a");
		LeaseRequest request = request(a.observe("invoices"));
		assertThat(a.acquire(request)).hasSize(1);
		assertThat(a.acquire(request)).isEmpty();
		a.release(request.key());
		assertThat(a.acquire(request)).isEmpty();
	}

	@Test
	void ofSeveralRolesThoseThatAreFreeAreGranted() {
		StoreMember a = member("a");
		a.tryToTake("held-1", "held-2");
		assertThat(member("b").tryToTake("held-2", "free-2", "held-1", "free-1")).extracting(LeaseKey::role)
			.containsExactlyInAnyOrder("free-1", "free-2");
	}

	@Test
	void epochsGrowByOneOverManyTerms() {
		List<StoreMember> members = List.of(member("a"), member("b"));
		long before = members.get(0).observe("invoices").epoch();
		for (int i = 1; i <= 40; i++) {
			StoreMember member = members.get(i % 2);
			LeaseKey lease = member.take("invoices");
			assertThat(lease.epoch()).isEqualTo(before + i);
			member.release(lease);
		}
	}

	@Test
	void contendersNeverShareARoleOrAnEpoch() throws Exception {
		contend(this::createStore);
	}

	/**
	 * Several members take, renew and release the same roles as fast as they can.
	 */
	protected final void contend(Function<StoreIdentity, LeaseStore> factory) throws Exception {
		List<String> roles = List.of("r1", "r2", "r3");
		Contest contest = new Contest(roles);
		List<Callable<Void>> contenders = Stream.of("a", "b", "c", "d")
			.map((prefix) -> member(NAMESPACE, prefix, LONG_TTL, factory))
			.map((member) -> (Callable<Void>) () -> {
				contest.run(member);
				return null;
			})
			.toList();
		runAll(contenders);
		contest.epochs.forEach((role, epochs) -> assertThat(epochs).as("epochs of %s in the order of its terms", role)
			.isSortedAccordingTo(Long::compare)
			.doesNotHaveDuplicates());
	}

	/**
	 * Runs all at the same time, and fails if one of them does.
	 */
	protected static void runAll(List<? extends Callable<Void>> tasks) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
		try {
			for (Future<Void> result : executor.invokeAll(tasks, CONTEST_PATIENCE.plusSeconds(10).toSeconds(),
					TimeUnit.SECONDS)) {
				result.get();
			}
		}
		finally {
			executor.shutdownNow();
			assertThat(executor.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
	}

	// Renewing

	@Test
	void renewedLeaseOutlivesItsFirstTime() {
		Duration ttl = shortTtl().multipliedBy(3);
		StoreMember a = member("a", ttl);
		StoreMember b = member("b");
		AtomicReference<LeaseKey> lease = new AtomicReference<>();
		AtomicReference<Moment> taken = new AtomicReference<>();
		AtomicReference<Moment> renewed = new AtomicReference<>();
		await().atMost(PATIENCE.multipliedBy(3)).pollInterval(ttl.dividedBy(10)).until(() -> {
			Moment sent = TimeSource.SYSTEM.now();
			if (lease.get() == null) {
				a.tryToTake("invoices").forEach(lease::set);
				taken.set(sent);
				renewed.set(sent);
				return false;
			}
			Set<LeaseKey> kept = a.renew(lease.get());
			LeaseKey[] others = b.tryToTake("invoices").toArray(LeaseKey[]::new);
			if (TimeSource.SYSTEM.now().since(renewed.get()).compareTo(ttl.dividedBy(2)) > 0) {
				// Renewed so late, it may have run out. Anew.
				a.release(lease.getAndSet(null));
				b.release(others);
				return false;
			}
			assertThat(kept).containsExactly(lease.get());
			assertThat(others).isEmpty();
			renewed.set(sent);
			return sent.since(taken.get()).compareTo(ttl.multipliedBy(5).dividedBy(4)) > 0;
		});
	}

	@Test
	void renewalIsCountedFromBeforeItWasSent() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		Attempt attempt = attempt();
		Renewal renewal = a.store().renew(List.of(lease), attempt);
		assertThat(renewal.renewed()).containsExactly(lease);
		assertThat(renewal.countedFrom().since(attempt.sentAt())).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void everyRenewalChangesTheMark() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		LeaseView.Expiry before = a.observe("invoices").owner().expiry();
		assertThat(a.observe("invoices").owner().expiry()).satisfies((again) -> {
			if (before != null) {
				assertThat(again.mark()).isEqualTo(before.mark());
			}
		});
		a.renew(lease);
		if (before != null) {
			assertThat(a.observe("invoices").owner().expiry().mark()).isGreaterThan(before.mark());
		}
	}

	@Test
	void onlyTheExactLeaseIsRenewed() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		LeaseView before = a.observe("invoices");
		for (LeaseKey wrong : almost(lease)) {
			assertThat(a.renew(wrong)).as("renewed as %s", wrong).isEmpty();
		}
		assertThat(member("b").renew(lease)).isEmpty();
		assertUntouched(before, a.observe("invoices"));
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	@Test
	void eachLeaseOfARenewalIsJudgedByItself() {
		StoreMember a = member("a");
		StoreMember b = member("b");
		LeaseKey held = a.take("held");
		LeaseKey released = a.take("released");
		a.release(released);
		LeaseKey lost = a.take("lost");
		a.release(lost);
		LeaseKey taken = b.take("lost");
		LeaseKey unknown = new LeaseKey("unknown", 1, held.termId());
		assertThat(a.renew(unknown, lost, held, released)).containsExactly(held);
		assertThat(b.renew(taken)).containsExactly(taken);
	}

	@Test
	void leaseThatIsNotMeantDoesNotHideOneThatIsLost() {
		StoreMember a = member("a");
		LeaseKey lost = a.take("r1");
		LeaseKey kept = a.take("r2");
		assertThat(a.renew(lost, kept)).hasSize(2);
		// Between two renewals one role is lost, and one is gained by a request whose
		// answer is never received. The number of roles that are held stays the same.
		a.release(lost);
		member("b").take("r1");
		a.take("r3");
		LeaseView orphan = a.observe("r3");
		assertThat(a.renew(lost, kept)).containsExactly(kept);
		assertUntouched(orphan, a.observe("r3"));
	}

	@Test
	void leaseThatRanOutIsNotRenewedEvenIfNobodyTookIt() {
		StoreMember a = member("a", shortTtl());
		LeaseKey lease = a.take("invoices");
		letRunOut(a, "invoices");
		assertThat(a.renew(lease)).isEmpty();
		assertThat(isTakeable(a.observe("invoices"))).isTrue();
		assertThat(a.take("invoices").epoch()).isEqualTo(lease.epoch() + 1);
	}

	// Releasing

	@Test
	void releasedRoleIsFreeAtOnceAndKeepsItsEpoch() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		a.release(lease);
		StoreMember b = member("b");
		assertThat(b.observe("invoices")).isEqualTo(new LeaseView("invoices", lease.epoch(), null));
		assertThat(a.renew(lease)).isEmpty();
		assertThat(b.take("invoices").epoch()).isEqualTo(lease.epoch() + 1);
	}

	@Test
	void onlyTheExactLeaseIsReleasedAndOnlyByItsOwner() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		for (LeaseKey wrong : almost(lease)) {
			a.release(wrong);
		}
		member("b").release(lease);
		assertThat(a.renew(lease)).containsExactly(lease);
	}

	@Test
	void releaseFreesWhatIsHeldAndLeavesTheRest() {
		StoreMember a = member("a");
		StoreMember b = member("b");
		LeaseKey lost = a.take("lost");
		a.release(lost);
		LeaseKey taken = b.take("lost");
		LeaseKey kept = a.take("kept");
		LeaseKey given = a.take("given");
		a.release(new LeaseKey("unknown", 1, "term"), lost, given);
		assertThat(a.renew(given, kept)).containsExactly(kept);
		assertThat(b.renew(taken)).containsExactly(taken);
	}

	// Names

	@Test
	void namespacesAreApart() {
		StoreMember billing = member("billing", "a", LONG_TTL, this::createStore);
		StoreMember shipping = member("shipping", "a", LONG_TTL, this::createStore);
		StoreMember upperCase = member("Billing", "a", LONG_TTL, this::createStore);
		LeaseKey lease = billing.take("invoices");
		billing.release(lease);
		lease = billing.take("invoices");
		assertThat(shipping.take("invoices").epoch()).isEqualTo(lease.epoch() - 1);
		assertThat(upperCase.take("invoices").epoch()).isEqualTo(lease.epoch() - 1);
		shipping.release(lease);
		assertThat(shipping.renew(lease)).isEmpty();
		assertThat(billing.renew(lease)).containsExactly(lease);
	}

	@Test
	void rolesThatDifferInCaseAreApart() {
		StoreMember a = member("a");
		LeaseKey lower = a.take("invoices");
		LeaseKey upper = member("b").take("INVOICES");
		assertThat(a.renew(lower, new LeaseKey("INVOICES", upper.epoch(), upper.termId()))).containsExactly(lower);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "a.b", "a..b", "a.", "a_b", "a__", "a:b", "a::", "a-b", "a--", "1:2-3_4.5", "null",
			"select" })
	void everyLegalNameIsARoleOfItsOwn(String role) {
		StoreMember a = member("a");
		// What wildcards, folders and separators could take for the same.
		Set<String> others = new TreeSet<>(Set.of("axb", "ab", "a", "a-", "a.b.c", "a:", role + "x", "x" + role));
		others.remove(role);
		assertThat(a.tryToTake(others.toArray(String[]::new))).hasSameSizeAs(others);
		LeaseKey lease = a.take(role);
		assertThat(a.renew(lease)).containsExactly(lease);
		a.release(lease);
		assertThat(a.observe(role)).isEqualTo(new LeaseView(role, lease.epoch(), null));
		assertThat(a.observe(others).values()).noneMatch(StoreMember::isTakeable);
	}

	@Test
	void longestNamesFit() {
		String role = "R".repeat(128);
		StoreMember a = member("n".repeat(128), "m".repeat(Member.MAX_ID_LENGTH), LONG_TTL, this::createStore);
		assertThat(a.id()).hasSize(Member.MAX_ID_LENGTH);
		LeaseKey lease = a.take(role);
		assertThat(a.renew(lease)).containsExactly(lease);
		assertThat(a.observe(role).owner().member()).isEqualTo(a.id());
	}

	@Test
	void membersOfOneHostAreApart() {
		StoreMember first = member("host-1");
		StoreMember second = member("host-1");
		LeaseKey lease = first.take("invoices");
		assertThat(second.tryToTake("invoices")).isEmpty();
		assertThat(second.renew(lease)).isEmpty();
		second.release(lease);
		assertThat(first.renew(lease)).containsExactly(lease);
	}

	@Test
	void restartedMemberDoesNotOwnTheLeaseOfItsPredecessor() {
		StoreMember before = member("host-1", shortTtl());
		LeaseKey lease = before.take("invoices");
		before.store().close();
		StoreMember after = member("host-1", shortTtl());
		assertThat(after.renew(lease)).isEmpty();
		letRunOut(before, "invoices");
		assertThat(after.take("invoices").epoch()).isEqualTo(lease.epoch() + 1);
	}

	// Size

	@Test
	void manyRolesGoInOneCall() {
		StoreMember a = member("a");
		List<String> roles = IntStream.range(0, MANY).mapToObj((i) -> "role-" + i).toList();
		Collection<LeaseView> free = a.observe(roles).values();
		assertThat(free).allMatch(StoreMember::isTakeable);
		assertThat(a.observe(roles).values()).containsExactlyInAnyOrderElementsOf(free);
		Set<LeaseKey> granted = a.acquire(free.stream().map(StoreMember::request).toArray(LeaseRequest[]::new));
		assertThat(granted).extracting(LeaseKey::role).containsExactlyInAnyOrderElementsOf(roles);
		LeaseKey[] leases = granted.toArray(LeaseKey[]::new);
		assertThat(a.renew(leases)).isEqualTo(granted);
		a.release(leases);
		assertThat(a.renew(leases)).isEmpty();
		assertThat(a.observe(roles).values()).allMatch((view) -> view.owner() == null && view.epoch() == 1);
	}

	// Members

	@Test
	void membersThatLiveKnowWhatEachSays() {
		StoreMember a = member("a");
		StoreMember b = member("b");
		assertThat(a.announce("first")).containsOnly(entry(a.id(), "first"));
		assertThat(b.announce("second")).containsOnly(entry(a.id(), "first"), entry(b.id(), "second"));
		assertThat(a.announce("first")).containsOnly(entry(a.id(), "first"), entry(b.id(), "second"));
	}

	@Test
	void whatAMemberSaysAnewReplacesWhatItSaid() {
		StoreMember a = member("a");
		StoreMember b = member("b");
		for (String text : List.of("one", "two", "one", "")) {
			assertThat(a.announce(text)).containsEntry(a.id(), text);
			assertThat(b.announce("listens")).containsOnly(entry(a.id(), text), entry(b.id(), "listens"));
		}
	}

	@Test
	void memberThatWithdrawsIsGoneUntilItAnnouncesItselfAgain() {
		StoreMember a = member("a");
		StoreMember b = member("b");
		a.withdraw();
		a.announce("here");
		a.withdraw();
		a.withdraw();
		assertThat(b.announce("alone")).containsOnlyKeys(b.id());
		assertThat(a.announce("back")).containsOnlyKeys(a.id(), b.id());
		assertThat(b.announce("alone")).containsEntry(a.id(), "back");
	}

	@Test
	void memberThatIsNotHeardOfAnyMoreIsGone() {
		StoreMember a = member("a", shortTtlOfAMember());
		StoreMember b = member("b");
		a.announce("soon dead");
		assertThat(b.announce("watches")).containsOnlyKeys(a.id(), b.id());
		die(a);
		await().atMost(PATIENCE).until(() -> !b.announce("watches").containsKey(a.id()));
	}

	@Test
	void memberThatGoesOnAnnouncingItselfStays() {
		Duration ttl = shortTtlOfAMember();
		StoreMember a = member("a", ttl);
		StoreMember b = member("b");
		AtomicReference<Moment> begun = new AtomicReference<>(TimeSource.SYSTEM.now());
		AtomicReference<Moment> announced = new AtomicReference<>(begun.get());
		await().atMost(PATIENCE.multipliedBy(3)).pollInterval(ttl.dividedBy(2)).until(() -> {
			Moment sent = TimeSource.SYSTEM.now();
			Map<String, String> seenByItself;
			Map<String, String> seenByOthers;
			try {
				seenByItself = a.announce("lives");
				seenByOthers = b.announce("watches");
			}
			catch (StoreException ex) {
				if (!isConnectionLost(ex)) {
					throw ex;
				}
				// Again, as nothing was announced meanwhile.
				begun.set(TimeSource.SYSTEM.now());
				return false;
			}
			Moment now = TimeSource.SYSTEM.now();
			if (now.since(announced.getAndSet(sent)).compareTo(ttl) > 0) {
				// Announced so late, it may seem dead. Again.
				begun.set(sent);
				return false;
			}
			assertThat(seenByItself).containsEntry(a.id(), "lives");
			assertThat(seenByOthers).containsEntry(a.id(), "lives");
			return now.since(begun.get()).compareTo(ttl.multipliedBy(4)) > 0;
		});
	}

	@Test
	void membersOfAnotherNamespaceAreNotListed() {
		StoreMember a = member("a");
		StoreMember other = member("other", "b", LONG_TTL, this::createStore);
		a.announce("here");
		assertThat(other.announce("there")).containsOnlyKeys(other.id());
		assertThat(a.announce("here")).containsOnlyKeys(a.id());
	}

	@Test
	void everyIdOfAMemberAndTheLongestTextAreKept() {
		StoreMember a = member("a/b @c %41 +d \u00e9\u4e16 '\"");
		String text = "x=%41+\n".repeat(Presence.LONGEST_TEXT / 7);
		a.announce(text);
		assertThat(member("b").announce("reads")).containsEntry(a.id(), text);
	}

	@Test
	void withdrawnMemberKeepsItsLeases() {
		StoreMember a = member("a");
		a.announce("leads");
		LeaseKey lease = a.take("invoices");
		a.withdraw();
		assertThat(a.renew(lease)).containsExactly(lease);
		a.announce("leads again");
		a.release(lease);
		assertThat(member("b").announce("watches")).containsKey(a.id());
	}

	/** Long enough that a busy machine does not make a member seem dead. */
	private Duration shortTtlOfAMember() {
		Duration second = Duration.ofSeconds(1);
		return (shortTtl().compareTo(second) > 0) ? shortTtl() : second;
	}

	// Closing

	@Test
	void closedStoreRefuses() {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		a.store().close();
		a.store().close();
		assertRefused(() -> a.store().observe(List.of("invoices"), attempt()));
		assertRefused(() -> a.acquire(new LeaseRequest("invoices", lease.epoch(), "term", null, false)));
		assertRefused(() -> a.renew(lease));
		assertRefused(() -> {
			a.release(lease);
			return null;
		});
	}

	private static void assertRefused(Supplier<?> call) {
		assertThatExceptionOfType(StoreException.class).isThrownBy(call::get);
	}

	/** A request for a lease that is over by the clock of who asks. */
	private static LeaseRequest over(LeaseView view) {
		LeaseRequest request = request(view);
		return new LeaseRequest(request.role(), request.observedEpoch(), request.termId(), request.observedMark(),
				true);
	}

	/** Every key that agrees with the lease in all parts but one. */
	private static List<LeaseKey> almost(LeaseKey lease) {
		return List.of(new LeaseKey(lease.role(), lease.epoch() - 1, lease.termId()),
				new LeaseKey(lease.role(), lease.epoch() + 1, lease.termId()),
				new LeaseKey(lease.role(), lease.epoch(), "another-term"),
				new LeaseKey("another-role", lease.epoch(), lease.termId()));
	}

	private static void assertUntouched(LeaseView before, LeaseView after) {
		assertThat(after.epoch()).isEqualTo(before.epoch());
		assertThat(after.owner().member()).isEqualTo(before.owner().member());
		assertThat(after.owner().termId()).isEqualTo(before.owner().termId());
		if (before.owner().expiry() != null) {
			assertThat(after.owner().expiry().mark()).isEqualTo(before.owner().expiry().mark());
		}
	}

	/**
	 * What contenders do, and what must hold whenever one of them has a role.
	 */
	private static final class Contest {

		private static final int TERMS = 150;

		private final List<String> roles;

		private final Map<String, String> holders = new ConcurrentHashMap<>();

		/** Added to by the holder of a role only, so the order is that of the terms. */
		private final Map<String, List<Long>> epochs = new ConcurrentHashMap<>();

		private final AtomicInteger terms = new AtomicInteger();

		private Contest(List<String> roles) {
			this.roles = roles;
			roles.forEach((role) -> this.epochs.put(role, Collections.synchronizedList(new ArrayList<>())));
		}

		private void run(StoreMember member) {
			long end = System.nanoTime() + CONTEST_PATIENCE.toNanos();
			while (this.terms.get() < TERMS) {
				assertThat(System.nanoTime()).as("only %s terms so far", this.terms).isLessThan(end);
				List<String> shuffled = new ArrayList<>(this.roles);
				Collections.shuffle(shuffled);
				lookAndTake(member, shuffled);
			}
		}

		private void lookAndTake(StoreMember member, List<String> roles) {
			Map<String, LeaseView> views = member.observe(roles);
			// A database may have granted a part of a request that failed.
			LeaseKey[] orphans = views.values()
				.stream()
				.filter((view) -> view.owner() != null && view.owner().member().equals(member.id()))
				.map((view) -> new LeaseKey(view.role(), view.epoch(), view.owner().termId()))
				.toArray(LeaseKey[]::new);
			member.release(orphans);
			Set<LeaseKey> granted = member.acquire(roles.stream()
				.map(views::get)
				.filter(StoreMember::isTakeable)
				.map(StoreMember::request)
				.toArray(LeaseRequest[]::new));
			for (LeaseKey lease : granted) {
				assertThat(this.holders.putIfAbsent(lease.role(), member.id())).as("holder of " + lease).isNull();
				this.epochs.get(lease.role()).add(lease.epoch());
			}
			LeaseKey[] leases = granted.toArray(LeaseKey[]::new);
			assertThat(member.renew(leases)).isEqualTo(granted);
			this.holders.keySet().removeAll(granted.stream().map(LeaseKey::role).collect(Collectors.toSet()));
			member.release(leases);
			this.terms.addAndGet(leases.length);
		}

	}

}
