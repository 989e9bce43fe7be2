package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warms up the JVM: takes a role over and leaves it, over a store in memory. What a JVM
 * does for the first time takes tens of milliseconds, and a process that takes over does
 * all of it for the first time while the role has no leader.
 * <p>
 * It notifies no listeners of the application. If it fails, hand-overs are slower.
 */
final class Rehearsal {

	private static final Log logger = LogFactory.getLog(Rehearsal.class);

	private static final String ROLE = "rehearsal";

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final AtomicBoolean begun = new AtomicBoolean();

	private Rehearsal() {
	}

	/**
	 * Begin in the background, once per process.
	 */
	static void begin() {
		if (begun.compareAndSet(false, true)) {
			Thread thread = new Thread(Rehearsal::run, "leader-rehearsal");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private static void run() {
		try {
			perform();
		}
		catch (InterruptedException | RuntimeException ex) {
			logger.debug("The rehearsal of a hand-over failed", ex);
		}
	}

	/**
	 * Lead once.
	 * @return whether the call ran
	 */
	static boolean perform() throws InterruptedException {
		Stage stage = new Stage();
		DefaultLeaderElections elections = new DefaultLeaderElections(stage.self, stage, stage,
				new ElectionSettings(LeaseTiming.of(Duration.ofSeconds(15), null, null), TIMEOUT), TimeSource.SYSTEM);
		elections.addListener(stage);
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

	/**
	 * The store, the listener and the gate. Another member has the role at the first
	 * poll, and it is free from then on.
	 */
	private static final class Stage implements LeaseStore, LeadershipListener, TermGate {

		private final Member self = new Member(ROLE, Map.of());

		private final Member predecessor = new Member("predecessor", Map.of());

		private LeaseView.@Nullable Owner owner = new LeaseView.Owner(this.predecessor.id(), "",
				new LeaseView.Expiry(1, Duration.ofSeconds(15), Duration.ofSeconds(15)));

		private long epoch = 1;

		@Override
		public String name() {
			return ROLE;
		}

		@Override
		public String storeId() {
			return ROLE;
		}

		@Override
		public void prepare() {
		}

		@Override
		public Duration pollInterval() {
			return Duration.ofMillis(1);
		}

		@Override
		public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
			LeaseView seen = new LeaseView(ROLE, this.epoch, this.owner);
			this.owner = null;
			return List.of(seen);
		}

		@Override
		public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
			LeaseKey granted = requests.get(0).key();
			this.epoch = granted.epoch();
			return Set.of(granted);
		}

		@Override
		public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
			return new Renewal(Set.copyOf(leases), attempt.sentAt());
		}

		@Override
		public void release(Collection<LeaseKey> leases, Attempt attempt) {
		}

		@Override
		public Collection<Presence> announce(Presence self, Attempt attempt) {
			return List.of(self, new Presence(this.predecessor.id(), self.text()));
		}

		@Override
		public void close() {
		}

		@Override
		public void onGranted(Leadership leadership) {
		}

		@Override
		public void onRevoked(Leadership leadership, RevocationReason reason) {
		}

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			return Map.of(ROLE, new Passed(1, null));
		}

		@Override
		public void open(Leadership leadership) {
		}

	}

}
