package io.leaderstarter.testsupport;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.leaderstarter.Leadership;
import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import io.leaderstarter.backend.etcd.EtcdLeaseStoreFactory;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseStoreFactory;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.awaitility.Awaitility;

/**
 * Two members that take roles from a store which runs, in turn, so that tests can have a
 * term of any epoch that the store has counted itself.
 */
final class StoreTerms {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static final Duration POLL = Duration.ofMillis(20);

	private static final List<String> MEMBERS = List.of("a", "b");

	private final Map<String, LeaseStore> stores = new HashMap<>();

	private final Map<String, LeaseKey> leases = new HashMap<>();

	private StoreTerms(LeaseStoreFactory factory) {
		String namespace = UUID.randomUUID().toString();
		for (String member : MEMBERS) {
			LeaseStore store = factory.create(new StoreIdentity(namespace, member, TTL));
			store.prepare();
			this.stores.put(member, store);
		}
	}

	/**
	 * Takes a role again and again until its epoch is the wanted one. A store does not
	 * count back, so if it is too late for that, it is given a role that no member has
	 * led yet.
	 * @param role the role
	 * @param epoch the wanted epoch
	 * @return the term
	 */
	synchronized Leadership take(String role, long epoch) {
		LeaseKey lease = this.leases.get(role);
		if (lease == null || lease.epoch() >= epoch) {
			lease = take(new LeaseKey("%s of %s".formatted(role, UUID.randomUUID()), 0, ""));
		}
		while (lease.epoch() < epoch) {
			store(lease.epoch()).release(List.of(lease), attempt());
			lease = take(lease);
		}
		this.leases.put(role, lease);
		return new Leadership(role, lease.epoch(), lease.termId(), member(lease.epoch()), Instant.now());
	}

	/** Takes the role for the member whose turn it is after the last term. */
	private LeaseKey take(LeaseKey last) {
		LeaseStore store = store(last.epoch() + 1);
		LeaseRequest request = new LeaseRequest(last.role(), last.epoch(), UUID.randomUUID().toString(), null, false);
		// ZooKeeper grants nothing before it has seen that its session lasts.
		Awaitility.await().atMost(TIMEOUT).pollInterval(POLL).pollDelay(Duration.ZERO).until(() -> {
			store.observe(List.of(last.role()), attempt());
			return store.acquire(List.of(request), attempt()).contains(request.key());
		});
		return request.key();
	}

	private LeaseStore store(long epoch) {
		return this.stores.get(member(epoch));
	}

	private static String member(long epoch) {
		return MEMBERS.get((int) (epoch % MEMBERS.size()));
	}

	private static Attempt attempt() {
		return new Attempt(TimeSource.SYSTEM.now(), TIMEOUT);
	}

	/**
	 * Returns the terms of a store, which all tests of this process share.
	 * @param store what keeps the leases, zookeeper or etcd
	 * @return the terms
	 */
	static StoreTerms of(String store) {
		return switch (store) {
			case "zookeeper" -> OfZooKeeper.INSTANCE;
			case "etcd" -> OfEtcd.INSTANCE;
			default -> throw new IllegalArgumentException("No terms can be had of " + store);
		};
	}

	private static final class OfZooKeeper {

		static final StoreTerms INSTANCE = new StoreTerms(ZooKeeperLeaseStoreFactory.using(client(),
				new ZooKeeperLeaseProperties("/terms", ZooKeeperEnsemble.TICK, TIMEOUT, false)));

		private static CuratorFramework client() {
			CuratorFramework client = CuratorFrameworkFactory.newClient(ZooKeeperEnsemble.shared().connectString(),
					(int) TTL.toMillis(), (int) TIMEOUT.toMillis(), new RetryOneTime(1));
			client.start();
			return client;
		}

	}

	private static final class OfEtcd {

		static final StoreTerms INSTANCE = new StoreTerms(
				EtcdLeaseStoreFactory.using(EtcdCluster.shared().client(), new EtcdLeaseProperties("/terms", TIMEOUT)));

	}

}
