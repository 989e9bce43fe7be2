package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warms up the JVM: takes a role over and leaves it, over the local backend. What a JVM
 * does for the first time takes tens of milliseconds, and a process that takes over does
 * all of it for the first time while the role has no leader.
 * <p>
 * It notifies no listeners of the application. If it fails, hand-overs are slower.
 */
final class WarmUp {

	private static final Log logger = LogFactory.getLog(WarmUp.class);

	private static final String ROLE = "warm-up";

	private static final LeaseTiming TIMING = LeaseTiming.of(Duration.ofSeconds(15), null, null);

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final AtomicBoolean begun = new AtomicBoolean();

	private WarmUp() {
	}

	/**
	 * Begin in the background, once per process.
	 */
	static void begin() {
		if (begun.compareAndSet(false, true)) {
			Platform.thread("leader-warm-up", WarmUp::run).start();
		}
	}

	private static void run() {
		try {
			perform();
		}
		catch (InterruptedException | RuntimeException ex) {
			logger.debug("The warm-up of a hand-over failed", ex);
		}
	}

	/**
	 * Lead once.
	 * @return whether the call ran
	 */
	static boolean perform() throws InterruptedException {
		LeaseStore store = new LocalLeaseStoreFactory().create(new StoreIdentity(ROLE, ROLE, TIMING.ttl()));
		DefaultLeaderElections elections = new DefaultLeaderElections(new Member(ROLE, Map.of()), store,
				new FencedGate(), new ElectionSettings(TIMING, TIMEOUT), TimeSource.SYSTEM);
		elections.addListener(new LeadershipListener() {
		});
		RoleElection election = elections.join(ROLE);
		elections.start();
		try {
			elections.compete();
			election.await(TIMEOUT);
			return election.runIfLeader(() -> {
			});
		}
		finally {
			elections.stop();
		}
	}

	/** Asked before a member competes, as that of a fenced database is. */
	private static final class FencedGate implements TermGate {

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public void open(Leadership leadership) {
		}

	}

}
