package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreContractTests;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import static io.leaderstarter.election.spi.StoreMember.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ZooKeeperLeaseStore} on three servers.
 */
@Order(1)
class ZooKeeperLeaseStoreTests extends LeaseStoreContractTests {

	private final String basePath = "/tests/" + UUID.randomUUID();

	private final List<LeaseStore> stores = new CopyOnWriteArrayList<>();

	private CuratorFramework other;

	@Override
	protected boolean isConnectionLost(StoreException failure) {
		return failure.getCause() instanceof KeeperException.ConnectionLossException;
	}

	@BeforeEach
	void connect() throws Exception {
		this.other = CuratorFrameworkFactory.newClient(server(), 60_000, 10_000, new RetryOneTime(1));
		this.other.start();
	}

	@AfterEach
	void disconnect() {
		this.other.close();
	}

	@Override
	protected LeaseStore createStore(StoreIdentity identity) {
		LeaseStore store = ZooKeeperLeaseStoreFactory
			.connecting(new ZooKeeperConnection(server(), null, null), properties())
			.create(identity);
		this.stores.add(store);
		return store;
	}

	/**
	 * All members of a test ask one server: another one may answer a read with what was
	 * so a moment ago.
	 */
	private static String server() {
		return "localhost:" + ZooKeeperEnsemble.shared().ports().get(0);
	}

	@Override
	protected Duration shortTtl() {
		return ZooKeeperEnsemble.TICK.multipliedBy(6);
	}

	@Override
	protected void letRunOut(StoreMember holder, String role) {
		ZooKeeperMember.expire((ZooKeeperLeaseStore) holder.store());
		StoreMember observer = member("observer");
		await().atMost(PATIENCE).until(() -> {
			// As in an election, the observer keeps polling.
			this.stores.forEach((store) -> lookIfOpen(store, role));
			return StoreMember.isTakeable(observer.observe(role));
		});
	}

	@Override
	protected void die(StoreMember member) {
		ZooKeeperMember.expire((ZooKeeperLeaseStore) member.store());
	}

	@Test
	void renewalCountsFromARequestThatWasAnsweredATickBefore() throws Exception {
		StoreMember a = member("a");
		LeaseKey lease = a.take("invoices");
		Thread.sleep(ZooKeeperEnsemble.TICK.toMillis());
		Attempt first = attempt();
		a.store().renew(List.of(lease), first);
		Attempt soon = attempt();
		assertThat(a.store().renew(List.of(lease), soon).countedFrom().since(first.sentAt())).isNegative();
		Thread.sleep(ZooKeeperEnsemble.TICK.toMillis() + 50);
		Renewal renewal = a.store().renew(List.of(lease), attempt());
		assertThat(renewal.renewed()).containsExactly(lease);
		assertThat(renewal.countedFrom().since(first.sentAt())).isBetween(Duration.ZERO, Duration.ofSeconds(5));
		assertThat(renewal.countedFrom().since(soon.sentAt())).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void grantIsNotCountedFromTheRequestThatMadeIt() {
		StoreMember a = member("a");
		Attempt attempt = attempt();
		LeaseView view = a.observe("invoices");
		assertThat(a.store().acquire(List.of(StoreMember.request(view)), attempt)).hasSize(1);
		assertThat(a.store().countedFrom(attempt.sentAt()).since(attempt.sentAt())).isNegative();
	}

	@Test
	void leaseWhoseNodeWasDeletedIsLostWithTheNextTerm() throws Exception {
		StoreMember a = member("a");
		LeaseKey lost = a.take("lost");
		LeaseKey kept = a.take("kept");
		this.other.delete().forPath(paths().leader("lost"));
		LeaseKey next = member("b").take("lost");
		assertThat(next.epoch()).isEqualTo(lost.epoch() + 1);
		assertThat(a.renew(lost, kept)).containsExactly(kept);
		a.release(lost);
		assertThat(a.observe("lost").owner().termId()).isEqualTo(next.termId());
	}

	@Test
	void nodeWithGarbageHasNoNextEpochAndOtherRolesAreNotAffected() throws Exception {
		StoreMember a = member("a");
		a.observe("broken");
		this.other.setData().forPath(paths().role("broken"), "nonsense".getBytes());
		assertThat(a.observe("broken").epoch()).isNegative();
		assertThat(a.take("invoices").epoch()).isOne();
	}

	@Test
	void storeIdIsThatOfTheBasePath() {
		String storeId = member("a").store().storeId();
		assertThat(UUID.fromString(storeId)).isNotNull();
		assertThat(member("b").store().storeId()).isEqualTo(storeId);
	}

	@Test
	void usersClientIsUsedButNotClosed() {
		LeaseStore store = ZooKeeperLeaseStoreFactory.using(this.other.usingNamespace("user"), properties())
			.create(new StoreIdentity("contract", "me", Duration.ofSeconds(10)));
		store.prepare();
		StoreMember me = new StoreMember(new StoreIdentity("contract", "me", Duration.ofSeconds(10)), store);
		// Nothing is known of the age of a session that somebody else made.
		await().until(() -> !me.tryToTake("invoices").isEmpty());
		store.close();
		assertThat(this.other.getZookeeperClient().isConnected()).isTrue();
		assertThat(member("b").observe("invoices").owner()).isNull();
	}

	@Test
	void moreRolesThanFitIntoOneRequestAreRenewed() throws Exception {
		// Names as long as they can be, so that few roles are many bytes.
		StoreMember a = member("n".repeat(128), "a", LONG_TTL, this::createStore);
		String[] roles = IntStream.range(0, 2500)
			.mapToObj((i) -> "r".repeat(123) + "-" + (1000 + i))
			.toArray(String[]::new);
		NodePaths paths = NodePaths.of(this.basePath, "n".repeat(128));
		assertThat(Stream.of(roles).mapToInt((role) -> paths.role(role).length()).sum())
			.isGreaterThan(RoleNodes.MOST_BYTES);
		Set<LeaseKey> granted = new LinkedHashSet<>(a.tryToTake(roles));
		assertThat(granted).hasSize(2500);
		assertThat(a.renew(granted.toArray(LeaseKey[]::new))).isEqualTo(granted);
		// One of each request.
		for (String lost : List.of(roles[1], roles[2499])) {
			this.other.setData().forPath(paths.role(lost), "epoch=2".getBytes());
		}
		LeaseKey[] held = granted.toArray(LeaseKey[]::new);
		granted.removeIf((lease) -> lease.role().equals(roles[1]) || lease.role().equals(roles[2499]));
		assertThat(a.renew(held)).isEqualTo(granted);
		a.release(held);
		assertThat(a.renew(held)).isEmpty();
	}

	@Test
	void closedStoreLeavesTheSessionToRunOutIfItHoldsSomething() throws Exception {
		StoreMember a = member("a", ZooKeeperEnsemble.TICK.multipliedBy(8));
		a.take("invoices");
		a.store().close();
		assertThat(this.other.checkExists().forPath(paths().leader("invoices"))).isNotNull();
		await().atMost(PATIENCE).until(() -> this.other.checkExists().forPath(paths().leader("invoices")) == null);
	}

	@Test
	void closedStoreEndsTheSessionIfItHoldsNothing() throws Exception {
		StoreMember a = member("a");
		a.announce("here");
		a.release(a.take("invoices"));
		assertThat(this.other.getChildren().forPath(paths().members())).hasSize(1);
		a.store().close();
		// Much sooner than the session would run out.
		await().atMost(PATIENCE).until(() -> this.other.getChildren().forPath(paths().members()).isEmpty());
	}

	/** Also if there is no connection just then. */
	@Test
	void nothingOfAClosedStoreStaysInAUsersClient() throws Exception {
		try (FaultProxy proxy = new FaultProxy(ZooKeeperEnsemble.shared().ports().get(0));
				CuratorFramework client = CuratorFrameworkFactory.builder()
					.connectString("localhost:" + proxy.port())
					.sessionTimeoutMs(60_000)
					.retryPolicy(new RetryOneTime(1))
					// Else it learns of the servers themselves, and leaves the proxy.
					.ensembleTracker(false)
					.zookeeperFactory(
							(servers, timeout, watcher, readOnly) -> new WatchedZooKeeper(servers, timeout, watcher))
					.build()) {
			client.start();
			WatchedZooKeeper handle = (WatchedZooKeeper) client.getZookeeperClient().getZooKeeper();
			closedAfterAPoll(client, () -> assertThat(handle.watched()).hasSize(1));
			await().until(() -> handle.watched().isEmpty());
			closedAfterAPoll(client, () -> {
				proxy.refuse();
				await().until(() -> !client.getZookeeperClient().isConnected());
			});
			proxy.heal();
			await().until(() -> client.getZookeeperClient().isConnected());
			assertThat(client.getZookeeperClient().getZooKeeper()).isSameAs(handle);
			await().until(() -> handle.watched().isEmpty());
		}
	}

	private void closedAfterAPoll(CuratorFramework client, Runnable beforeClosing) {
		StoreIdentity identity = new StoreIdentity("contract", "me", Duration.ofSeconds(10));
		LeaseStore store = ZooKeeperLeaseStoreFactory.using(client, properties()).create(identity);
		store.prepare();
		new StoreMember(identity, store).observe("invoices");
		beforeClosing.run();
		store.close();
	}

	@Test
	void listIsOneRequestAndOnlyWhatChangedIsRead() throws Exception {
		StoreMember a = member("a");
		StoreMember b = member("b");
		a.announce("a");
		b.announce("b");
		List<String> before = this.other.getChildren().forPath(paths().members());
		// A member whose node cannot be read any more is still listed, as long as the
		// node is
		// there.
		String node = before.stream().filter((name) -> name.startsWith("b-")).findFirst().orElseThrow();
		a.announce("a");
		this.other.setData().forPath(paths().members() + "/" + node, "changed by somebody else".getBytes());
		assertThat(a.announce("a")).containsEntry(b.id(), "b");
		assertThat(this.other.getChildren().forPath(paths().members())).containsExactlyInAnyOrderElementsOf(before);
		b.announce("new");
		assertThat(a.announce("a")).containsEntry(b.id(), "new");
	}

	@Test
	void nodeOfAMemberIsMadeAgainAndStrangeOnesAreLeftAlone() throws Exception {
		StoreMember a = member("a");
		a.announce("a");
		for (String name : List.of("nonsense", "x@y", "%zz@1", "@")) {
			this.other.create().forPath(paths().members() + "/" + name);
		}
		this.other.create().forPath(paths().members() + "/huge@1", new byte[Presence.LONGEST_TEXT + 1]);
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
		for (String name : this.other.getChildren().forPath(paths().members())) {
			this.other.delete().forPath(paths().members() + "/" + name);
		}
		a.announce("a");
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
	}

	private static void lookIfOpen(LeaseStore store, String role) {
		try {
			store.observe(List.of(role), attempt());
		}
		catch (StoreException ex) {
			// It is closed.
		}
	}

	private ZooKeeperLeaseProperties properties() {
		return new ZooKeeperLeaseProperties(this.basePath, ZooKeeperEnsemble.TICK, Duration.ofSeconds(20), false);
	}

	private NodePaths paths() {
		return NodePaths.of(this.basePath, "contract");
	}

	/** A client of ZooKeeper that exposes its watches. */
	@SuppressWarnings("try")
	private static final class WatchedZooKeeper extends ZooKeeper {

		WatchedZooKeeper(String servers, int timeout, Watcher watcher) throws IOException {
			super(servers, timeout, watcher);
		}

		List<String> watched() {
			return getPersistentRecursiveWatches();
		}

	}

}
