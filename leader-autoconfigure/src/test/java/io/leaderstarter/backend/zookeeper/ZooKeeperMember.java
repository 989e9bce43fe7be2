package io.leaderstarter.backend.zookeeper;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.apache.zookeeper.Op;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A member that competes for roles over ZooKeeper, and records when its terms begin and
 * end.
 */
final class ZooKeeperMember implements AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(4);

	final ZooKeeperLeaseStore store;

	final DefaultLeaderElections elections;

	final AtomicReference<Moment> granted = new AtomicReference<>();

	final AtomicReference<Moment> revoked = new AtomicReference<>();

	private ZooKeeperMember(String connectString, String basePath, Duration ttl, Duration tick, String... roles) {
		Member member = Member.start("node", Map.of());
		this.store = (ZooKeeperLeaseStore) ZooKeeperLeaseStoreFactory
			.connecting(new ZooKeeperConnection(connectString, null, null),
					new ZooKeeperLeaseProperties(basePath, tick, Duration.ofSeconds(20), false))
			.create(new StoreIdentity("faults", member.id(), ttl));
		this.elections = new DefaultLeaderElections(member, this.store, TermGate.OPEN,
				new ElectionSettings(LeaseTiming.of(ttl, ttl.dividedBy(5), null), Duration.ofSeconds(5)),
				TimeSource.SYSTEM);
		this.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				ZooKeeperMember.this.granted.set(TimeSource.SYSTEM.now());
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				ZooKeeperMember.this.revoked.set(TimeSource.SYSTEM.now());
			}

		});
		for (String role : roles) {
			this.elections.join(role);
		}
	}

	static ZooKeeperMember start(String connectString, String basePath, String... roles) {
		return start(connectString, basePath, TTL, ZooKeeperEnsemble.TICK, roles);
	}

	static ZooKeeperMember start(String connectString, String basePath, Duration ttl, Duration tick, String... roles) {
		ZooKeeperMember member = new ZooKeeperMember(connectString, basePath, ttl, tick, roles);
		member.elections.start();
		member.elections.compete();
		return member;
	}

	boolean leads(String role) {
		return this.elections.election(role).isLeader();
	}

	long epoch(String role) {
		return this.elections.status(role).epoch();
	}

	/** The port of the server that its session is at, 0 if there is none. */
	int server() {
		InetSocketAddress server = session().server();
		return (server != null) ? server.getPort() : 0;
	}

	/** Goes from server to server until it is at the one with the port. */
	void goTo(int port) {
		await().until(() -> {
			if (server() != 0 && server() != port) {
				session().leaveServer();
			}
			return server() == port && answers();
		});
	}

	/**
	 * Take the session for expired, unless the store was closed. The servers keep it
	 * until its time-out.
	 */
	static void expire(ZooKeeperLeaseStore store) {
		try {
			store.client().session(Duration.ofSeconds(1)).handle().getTestable().injectSessionExpiration();
		}
		catch (StoreException ex) {
			assertThat(ex).hasMessage("The client of ZooKeeper is closed");
		}
	}

	private LeaderZooKeeper session() {
		return (LeaderZooKeeper) this.store.client().session(Duration.ofSeconds(20)).handle();
	}

	/** Send what the servers have to agree on, and does not wait for it. */
	void askAll() {
		session().multi(List.of(Op.check("/", -1)), (code, path, context, results) -> {
		}, null);
	}

	boolean answers() {
		return this.elections.storeStatus().failure() == null;
	}

	@Override
	public void close() {
		this.elections.stop();
		this.store.close();
	}

}
