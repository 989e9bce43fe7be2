package io.leaderstarter.election;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how the election works with a gate that is asked before a member competes.
 */
class FencedElectionTests {

	private static final Logger logger = (Logger) LoggerFactory.getLogger(TermEffects.class);

	private final Cluster cluster = new Cluster();

	private final RememberingGate gate = new RememberingGate();

	@AfterEach
	void close() {
		logger.setLevel(null);
		this.cluster.close();
	}

	@Test
	void termIsLetThroughBeforeItIsAnnounced() {
		Node node = start();
		soon().until(() -> node.leads("a"));
		assertThat(this.gate.epochs).containsEntry("a", 1L);
		node.elections.stop();
		Node next = start();
		soon().until(() -> next.leads("a"));
		assertThat(this.gate.epochs).containsEntry("a", 2L);
	}

	@Test
	void noEpochIsBurnedWhileTheGateCannotTell() {
		this.gate.away = true;
		Node one = start();
		Node other = start();
		soon().until(() -> this.gate.asked.get("a") != null && this.gate.asked.get("a") >= 4);
		assertThat(epoch()).isZero();
		assertThat(one.notified).isEmpty();
		this.gate.away = false;
		soon().until(() -> one.leads("a") || other.leads("a"));
		assertThat(epoch()).isEqualTo(1);
	}

	@Test
	void nobodyStandsForARoleWhoseStoreLostData() {
		Node first = start();
		soon().until(() -> first.leads("a"));
		first.elections.stop();
		this.gate.epochs.put("a", 5L);
		Node second = start();
		Node third = start();
		soon().until(() -> refuses(second) && refuses(third));
		assertThat(second.leads("a") || third.leads("a")).isFalse();
		assertThat(epoch()).isEqualTo(1);
		// The store was repaired.
		this.cluster.table().sql("update leader_lease set epoch = 5").update();
		soon().until(() -> second.leads("a") || third.leads("a"));
		soon().until(() -> !refuses(second) && !refuses(third));
		assertThat(epoch()).isEqualTo(6);
	}

	@Test
	void noEpochIsBurnedForARoleThatTheGateObjectsTo() {
		this.gate.objection = "The fence belongs to another store";
		Node node = start();
		soon().until(() -> node.elections.storeStatus().refused().containsValue("The fence belongs to another store"));
		assertThat(epoch()).isZero();
		this.gate.objection = null;
		soon().until(() -> node.leads("a"));
		assertThat(node.elections.storeStatus().refused()).isEmpty();
		assertThat(epoch()).isEqualTo(1);
	}

	@Test
	void gateThatWasHeldUpIsTriedAgainLongBeforeALeaseWouldHaveRunOut() {
		this.gate.heldUp.set(2);
		logger.setLevel(Level.ERROR);
		LeaseTiming timing = LeaseTiming.of(Duration.ofMinutes(2), Duration.ofMillis(300), Duration.ofSeconds(10));
		// Nobody but the member itself knows when it may compete again.
		Node node = this.cluster.start(timing, this.gate, FencedElectionTests::rarelyPolled, "a");
		soon().until(() -> node.leads("a"));
		assertThat(this.gate.heldUp).hasValue(0);
		assertThat(epoch()).isEqualTo(3);
	}

	@Test
	void gateThatCouldNotTellOnceIsAskedAgainLongBeforeTheNextPoll() {
		this.gate.speechless.set(1);
		Node node = this.cluster.start(Cluster.LASTING, this.gate, FencedElectionTests::rarelyPolled, "a");
		soon().until(() -> node.leads("a"));
		assertThat(this.gate.speechless).hasValue(0);
	}

	private static LeaseStore rarelyPolled(LeaseStore store) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, args) -> {
					try {
						return method.getName().equals("pollInterval") ? Duration.ofSeconds(50)
								: method.invoke(store, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void gateThatHangsHoldsUpNeitherRenewalsNorOtherRoles() {
		Node node = start();
		soon().until(() -> node.leads("a"));
		this.gate.hang = new CountDownLatch(1);
		node.elections.join("b");
		int renewals = node.store.requests("renew");
		soon().until(() -> node.store.requests("renew") > renewals + 4);
		assertThat(node.leads("a")).isTrue();
		assertThat(node.leads("b")).isFalse();
		this.gate.hang.countDown();
		soon().until(() -> node.leads("b"));
	}

	private static boolean refuses(Node node) {
		return node.elections.storeStatus().refused().containsKey("a");
	}

	private Node start() {
		return this.cluster.start(this.gate, Duration.ofSeconds(5), "a");
	}

	private long epoch() {
		return this.cluster.table()
			.sql("select coalesce(max(epoch), 0) from leader_lease where role = 'a'")
			.query(Long.class)
			.single();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(30));
	}

	/** The fences of all members: one memory of what was let through. */
	private static final class RememberingGate implements TermGate {

		private final Map<String, Long> epochs = new ConcurrentHashMap<>();

		private final Map<String, Integer> asked = new ConcurrentHashMap<>();

		private final AtomicInteger heldUp = new AtomicInteger();

		private final AtomicInteger speechless = new AtomicInteger();

		private volatile boolean away;

		private volatile @Nullable String objection;

		private volatile CountDownLatch hang = new CountDownLatch(0);

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			roles.forEach((role) -> this.asked.merge(role, 1, Integer::sum));
			try {
				this.hang.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			if (this.away || this.speechless.getAndUpdate((times) -> Math.max(0, times - 1)) > 0) {
				throw new IllegalStateException("the fence is away");
			}
			Map<String, Passed> passed = new HashMap<>();
			roles.forEach((role) -> passed.put(role, new Passed(this.epochs.getOrDefault(role, 0L), this.objection)));
			return passed;
		}

		@Override
		public void open(Leadership leadership) {
			if (this.heldUp.getAndUpdate((times) -> Math.max(0, times - 1)) > 0) {
				throw new IllegalStateException("a transaction holds the gate up");
			}
			this.epochs.merge(leadership.role(), leadership.epoch(), Math::max);
		}

	}

}
