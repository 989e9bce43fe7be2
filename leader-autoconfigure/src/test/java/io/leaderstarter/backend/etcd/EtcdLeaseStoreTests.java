package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreContractTests;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.FaultProxy;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.leaderstarter.election.spi.StoreMember.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EtcdLeaseStore} on three servers.
 */
@Order(1)
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class EtcdLeaseStoreTests extends LeaseStoreContractTests {

	private final String prefix = "/tests/" + UUID.randomUUID();

	private Client other;

	@BeforeEach
	void connect() {
		this.other = EtcdCluster.shared().client();
	}

	@AfterEach
	void disconnect() {
		this.other.close();
	}

	@Override
	protected LeaseStore createStore(StoreIdentity identity) {
		return EtcdLeaseStoreFactory
			.connecting(new EtcdConnection(EtcdCluster.shared().addresses(), null, null, null), properties())
			.create(identity);
	}

	/** etcd gives no lease less. */
	@Override
	protected Duration shortTtl() {
		return Duration.ofSeconds(2);
	}

	@Test
	void grantIsCountedFromTheLeaseThatItLivesBy() {
		StoreMember a = member("a");
		Attempt first = attempt();
		assertThat(a.store().acquire(List.of(StoreMember.request(a.observe("r1"))), first)).hasSize(1);
		assertThat(a.store().countedFrom(first.sentAt())).isEqualTo(first.sentAt());
		Attempt second = attempt();
		assertThat(a.store().acquire(List.of(StoreMember.request(a.observe("r2"))), second)).hasSize(1);
		assertThat(a.store().countedFrom(second.sentAt())).isEqualTo(first.sentAt());
	}

	@Test
	void leaseThatIsNotYoungIsProvedBeforeARoleIsTaken() {
		StoreMember a = member("a", Duration.ofSeconds(4));
		// As if it had been asked for more than a quarter of the ttl ago.
		Attempt early = new Attempt(attempt().sentAt().plus(Duration.ofMillis(-1100)), Duration.ofSeconds(4));
		LeaseKey first = a.store().acquire(List.of(StoreMember.request(a.observe("r1"))), early).iterator().next();
		assertThat(a.store().countedFrom(attempt().sentAt())).isEqualTo(early.sentAt());
		LeaseView free = a.observe("r2");
		Attempt attempt = attempt();
		assertThat(a.store().acquire(List.of(StoreMember.request(free)), attempt)).hasSize(1);
		assertThat(a.store().countedFrom(attempt.sentAt())).isEqualTo(attempt.sentAt());
		assertThat(a.renew(first)).containsExactly(first);
	}

	@Test
	void leaseThatEndedIsReplacedByANewOne() {
		StoreMember a = member("a");
		LeaseKey lost = a.take("r1");
		endLease(a);
		assertThat(a.renew(lost)).isEmpty();
		LeaseKey next = a.take("r1");
		assertThat(next.epoch()).isEqualTo(lost.epoch() + 1);
		assertThat(a.renew(next)).containsExactly(next);
	}

	@Test
	void leaseThatEndedUnnoticedIsNoticedWhenARoleIsTaken() {
		StoreMember a = member("a");
		LeaseKey lost = a.take("r1");
		endLease(a);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> a.take("r2"));
		LeaseKey next = a.take("r2");
		assertThat(next.epoch()).isOne();
		assertThat(a.renew(lost, next)).containsExactly(next);
	}

	@Test
	void whatIsReleasedLastEndsTheLease() {
		StoreMember a = member("a");
		LeaseKey one = a.take("r1");
		LeaseKey other = a.take("r2");
		a.release(one);
		assertThat(a.renew(one, other)).containsExactly(other);
		assertThat(member("b").observe("r1").owner()).isNull();
		a.release(other);
		assertThat(((EtcdLeaseStore) a.store()).memberLease().countedFrom()).isNull();
		assertThat(member("b").observe("r2").owner()).isNull();
		assertThat(keys("/members/")).isZero();
	}

	/** A request that nobody waits for any more can still end what it was sent to end. */
	@Test
	void endOfALeaseThatArrivesLateEndsNoLaterTerm() {
		AtomicInteger tries = new AtomicInteger();
		// If this process is paused, the request arrives together with its
		// cancellation, or is never sent, and ends nothing.
		await().atMost(Duration.ofMinutes(2))
			.until(() -> endThatArrivesLateEndsNoLaterTerm("a" + tries.incrementAndGet()));
	}

	/** Return whether the request ended what it was sent to end. */
	private boolean endThatArrivesLateEndsNoLaterTerm(String id) {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(0))) {
			String slow = "127.0.0.1:" + proxy.port();
			StoreMember a = member("contract", id, LONG_TTL,
					(identity) -> EtcdLeaseStoreFactory
						.connecting(new EtcdConnection(List.of(slow, EtcdCluster.shared().addresses().get(1)), null,
								null, null), properties())
						.create(identity));
			EtcdLeaseStore store = (EtcdLeaseStore) a.store();
			LeaseView other = a.observe("other-" + id);
			if (!store.servers().present().where().endsWith(slow)) {
				store.servers().leave(store.servers().present());
			}
			LeaseKey released = a.take("released-" + id);
			long ended = store.memberLease().id();
			proxy.delayRequests(Duration.ofSeconds(3));
			Attempt hasty = new Attempt(attempt().sentAt(), Duration.ofMillis(500));
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> store.release(List.of(released), hasty));
			LeaseKey later = a.acquire(StoreMember.request(other)).iterator().next();
			try {
				await().atMost(PATIENCE).until(() -> isOver(ended));
			}
			catch (ConditionTimeoutException ex) {
				return false;
			}
			assertThat(a.renew(later)).containsExactly(later);
			assertThat(a.observe(released.role()).owner()).isNull();
			assertThat(member("b" + id).observe(later.role()).owner().termId()).isEqualTo(later.termId());
			return true;
		}
	}

	/** A lease that is not revoked keeps its roles until it has expired. */
	@Test
	void leaseWhoseRevocationWasLostIsRevokedWithTheNextPoll() {
		try (FaultProxy proxy = new FaultProxy(EtcdCluster.shared().ports().get(0))) {
			StoreMember a = member("contract", "a", LONG_TTL,
					(identity) -> EtcdLeaseStoreFactory
						.connecting(new EtcdConnection(List.of("127.0.0.1:" + proxy.port()), null, null, null),
								properties())
						.create(identity));
			LeaseKey released = a.take("released");
			proxy.refuse();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> a.release(released));
			proxy.heal();
			assertThat(member("b").observe("released").owner()).isNotNull();
			assertThat(a.observe("released").owner()).isNull();
			assertThat(a.take("released").epoch()).isEqualTo(released.epoch() + 1);
		}
	}

	@Test
	void leaseWhoseKeyWasDeletedIsLostWithTheNextTerm() throws Exception {
		StoreMember a = member("a");
		LeaseKey lost = a.take("lost");
		LeaseKey kept = a.take("kept");
		this.other.getKVClient().delete(EtcdKeys.bytes(keys().leader("lost"))).get();
		LeaseKey next = member("b").take("lost");
		assertThat(next.epoch()).isEqualTo(lost.epoch() + 1);
		assertThat(a.renew(lost, kept)).containsExactly(kept);
		a.release(lost);
		assertThat(a.observe("lost").owner().termId()).isEqualTo(next.termId());
	}

	@Test
	void keyWithGarbageIsNamedAndLeftAndOtherRolesAreNotAffected(CapturedOutput output) throws Exception {
		StoreMember a = member("a");
		ByteSequence nonsense = EtcdKeys.bytes("nonsense");
		this.other.getKVClient().put(EtcdKeys.bytes(keys().epoch("broken")), nonsense).get();
		this.other.getKVClient().put(EtcdKeys.bytes(keys().leader("led")), nonsense).get();
		assertThat(a.observe("broken").epoch()).isNegative();
		assertThat(a.observe("led").owner()).isNotNull();
		assertThat(a.tryToTake("broken", "led", "invoices")).extracting(LeaseKey::role).containsExactly("invoices");
		assertThat(output).contains(
				"The key " + keys().epoch("broken") + " in etcd holds a value that no election has written",
				"The key " + keys().leader("led") + " in etcd holds");
		assertThat(
				this.other.getKVClient().get(EtcdKeys.bytes(keys().epoch("broken"))).get().getKvs().get(0).getValue())
			.isEqualTo(nonsense);
	}

	@Test
	void moreRolesThanFitIntoOneAnswerAreProved() {
		// Names as long as they can be, so that pages are small.
		StoreMember a = member("n".repeat(128), "m".repeat(100), LONG_TTL, this::createStore);
		String[] roles = IntStream.range(0, 2500)
			.mapToObj((i) -> "r".repeat(123) + "-" + (1000 + i))
			.toArray(String[]::new);
		Set<LeaseKey> granted = a.tryToTake(roles);
		assertThat(granted).hasSize(2500);
		assertThat(a.renew(granted.toArray(LeaseKey[]::new))).isEqualTo(granted);
	}

	@Test
	void keyOfAMemberHasASeparateLeaseAndIsWrittenOnlyWhenItChanges() throws Exception {
		StoreMember a = member("a");
		a.announce("a");
		a.release(a.take("invoices"));
		long revision = candidate(a).getModRevision();
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
		assertThat(candidate(a).getModRevision()).isEqualTo(revision);
		a.announce("new");
		assertThat(candidate(a).getModRevision()).isGreaterThan(revision);
		this.other.getLeaseClient().revoke(candidate(a).getLease()).get();
		assertThat(a.announce("new")).containsEntry(a.id(), "new");
		this.other.getKVClient().delete(EtcdKeys.bytes(keys().candidate(a.id()))).get();
		a.announce("new");
		assertThat(a.announce("new")).containsEntry(a.id(), "new");
	}

	@Test
	void whatNoMemberWroteIsNoMember() throws Exception {
		StoreMember a = member("a");
		ByteSequence huge = EtcdKeys.bytes("x".repeat(Presence.LONGEST_TEXT + 1));
		this.other.getKVClient().put(EtcdKeys.bytes(keys().candidate("huge")), huge).get();
		this.other.getKVClient().put(EtcdKeys.bytes(keys().candidates() + "%zz"), EtcdKeys.bytes("x")).get();
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
	}

	private KeyValue candidate(StoreMember member) {
		return this.other.getKVClient().get(EtcdKeys.bytes(keys().candidate(member.id()))).join().getKvs().get(0);
	}

	@Test
	void storeIdIsThatOfThePrefix() throws Exception {
		String storeId = member("a").store().storeId();
		assertThat(UUID.fromString(storeId)).isNotNull();
		assertThat(member("b").store().storeId()).isEqualTo(storeId);
		this.other.getKVClient().delete(EtcdKeys.bytes(keys().storeId())).get();
		assertThat(member("c").store().storeId()).isNotEqualTo(storeId);
	}

	@Test
	void usersClientIsUsedButNotClosed() throws Exception {
		StoreIdentity identity = new StoreIdentity("contract", "me", LONG_TTL);
		LeaseStore store = EtcdLeaseStoreFactory.using(this.other, properties()).create(identity);
		store.prepare();
		StoreMember me = new StoreMember(identity, store);
		LeaseKey lease = me.take("invoices");
		// Its answers come from all servers in turn.
		for (int i = 0; i < 10; i++) {
			assertThat(me.renew(lease)).containsExactly(lease);
		}
		me.release(lease);
		store.close();
		assertThat(this.other.getKVClient().get(EtcdKeys.bytes("x")).get().getCount()).isZero();
		assertThat(member("b").observe("invoices").owner()).isNull();
	}

	@Test
	void versionsThatLoseLeasesAreKnown() {
		assertThat(List.of("3.3.27", "3.4.23", "3.4.30", "3.5.0", "3.5.12", "2.3.8"))
			.allMatch(ServerVersion::losesLeases);
		assertThat(List.of("3.4.31", "3.4.37", "3.5.13", "3.5.21", "3.6.0", "4.0.0", "unknown", ""))
			.noneMatch(ServerVersion::losesLeases);
	}

	private boolean isOver(long lease) {
		return this.other.getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT).join().getTTL() <= 0;
	}

	private void endLease(StoreMember member) {
		long id = ((EtcdLeaseStore) member.store()).memberLease().id();
		this.other.getLeaseClient().revoke(id).join();
	}

	private long keys(String below) {
		String first = keys().namespace() + below;
		return this.other.getKVClient()
			.get(ByteSequence.from(first, StandardCharsets.UTF_8),
					GetOption.builder().withRange(EtcdKeys.end(first)).withCountOnly(true).build())
			.join()
			.getCount();
	}

	private EtcdLeaseProperties properties() {
		return new EtcdLeaseProperties(this.prefix, Duration.ofSeconds(20));
	}

	private EtcdKeys keys() {
		return EtcdKeys.of(this.prefix, "contract");
	}

}
