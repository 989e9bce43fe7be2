package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.Member;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.testsupport.PauseWatch;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Replicas of an application that elect a leader over a database, with everything as in
 * production but Spring. They are watched all the time: if ever two lead one role at
 * once, if an epoch comes a second time, or if the election logs an error that the test
 * did not expect, {@link #close()} fails.
 */
final class Replicas implements AutoCloseable {

	/** Far more than anything here takes on a machine that is not busy. */
	static final Duration PATIENCE = Duration.ofSeconds(30);

	/**
	 * For those that are to keep their role: leases that outlast a pause of the machine,
	 * with renewals and requests as if they were short.
	 */
	static final LeaseTiming LASTING = LeaseTiming.of(Duration.ofSeconds(30), Duration.ofSeconds(1),
			Duration.ofMillis(600));

	/** For those that may lose it once, and then to what the test does. */
	static final LeaseTiming ROOMY = LeaseTiming.of(Duration.ofSeconds(10), Duration.ofMillis(650),
			Duration.ofMillis(400));

	private final LeaseTiming timing;

	private final List<Replica> replicas = new ArrayList<>();

	private final LeaderWatch watch;

	private final Recorder recorder = new Recorder();

	private boolean errorsExpected;

	Replicas(Duration ttl, String... roles) {
		this(LeaseTiming.of(ttl, null, null), roles);
	}

	Replicas(LeaseTiming timing, String... roles) {
		this.timing = timing;
		this.watch = new LeaderWatch(List.of(roles));
		this.recorder.start();
		logger().addAppender(this.recorder);
	}

	/** Start a replica with another connection to the database. */
	Replica start(DataSource dataSource) {
		return start(make(dataSource, this.timing));
	}

	private Replica make(DataSource dataSource, LeaseTiming timing) {
		Replica replica = new Replica(dataSource, timing);
		this.replicas.add(replica);
		this.watch.roles().forEach(replica.elections::join);
		this.watch.add(replica.elections);
		return replica;
	}

	private static Replica start(Replica replica) {
		replica.elections.start();
		replica.elections.compete();
		return replica;
	}

	/** Start a replica and waits until it leads all roles. */
	Replica startLeader(DataSource dataSource) {
		Replica leader = start(dataSource);
		until("first leader", () -> this.watch.roles().stream().allMatch(leader::leads));
		return leader;
	}

	/** Start a replica and waits until it has seen that the first one leads. */
	Replica startFollower(DataSource dataSource) {
		return startFollower(dataSource, this.timing);
	}

	/**
	 * Start a replica with another ttl, and wait until it has seen that the first one
	 * leads.
	 */
	Replica startFollower(DataSource dataSource, LeaseTiming timing) {
		Replica leader = this.replicas.get(0);
		Replica follower = make(dataSource, timing);
		// It must not take over if the term ends while it starts.
		follower.elections.pause();
		start(follower);
		until("follower that has polled",
				() -> this.watch.roles().stream().allMatch((role) -> follower.follows(leader, role)));
		follower.elections.resume();
		return follower;
	}

	/** Wait until one replica has led for some renewals that are sent from now on. */
	void awaitRenewalsOfTheLeader(String role) {
		Map<Replica, Integer> before = this.replicas.stream()
			.collect(Collectors.toMap(Function.identity(), (replica) -> replica.renewals.size()));
		// One more, as one may be under way.
		until("renewals of the leader",
				() -> before.entrySet()
					.stream()
					.anyMatch((replica) -> replica.getKey().leads(role)
							&& replica.getKey().renewals.size() > replica.getValue() + 3));
	}

	boolean anyLeads(String role) {
		return this.replicas.stream().anyMatch((replica) -> replica.leads(role));
	}

	/**
	 * Wait until nobody leads.
	 * @return how long somebody led since the moment, at least
	 */
	Duration ledSince(long begin, String role) {
		return ledSince(begin, () -> anyLeads(role));
	}

	static Duration ledSince(long begin, BooleanSupplier leads) {
		AtomicLong led = new AtomicLong(begin);
		until("end of the term", () -> {
			// Read before the members are asked, so that the leader leads then or later.
			long now = System.nanoTime();
			if (leads.getAsBoolean()) {
				led.set(now);
				return false;
			}
			return true;
		});
		return Duration.ofNanos(led.get() - begin);
	}

	/**
	 * Wait until a later term than the given one has begun. That is asked of what the
	 * replicas remember, so none is missing however short it was.
	 * @return the epoch of the first of them, which may be over by then
	 */
	long awaitTermAfter(long epoch, String role) {
		until("term after " + epoch, () -> termsAfter(epoch, role).findAny().isPresent());
		return termsAfter(epoch, role).min().orElseThrow();
	}

	/** Wait for it no longer than the limit, without the pauses of this process. */
	long awaitTermAfter(long epoch, String role, Duration limit) {
		try (PauseWatch watch = new PauseWatch()) {
			long begin = System.nanoTime();
			long next = awaitTermAfter(epoch, role);
			watch.assertTookLessThan(limit, begin, System.nanoTime());
			return next;
		}
	}

	/** The epoch of the term that began last. */
	long lastEpoch(String role) {
		return termsAfter(0, role).max().orElseThrow();
	}

	private LongStream termsAfter(long epoch, String role) {
		return this.replicas.stream()
			.flatMap((replica) -> replica.elections.status(role).history().stream())
			.filter((change) -> change.to().equals("LEADER"))
			.mapToLong(RoleStatus.Change::epoch)
			.filter((began) -> began > epoch);
	}

	/** Terms that began so far, as they were seen. */
	List<Leadership> terms(String role) {
		return this.watch.terms(role);
	}

	List<String> logged() {
		return this.recorder.messages();
	}

	/** From now on errors may be logged, as the test is about them. */
	void expectErrors() {
		this.errorsExpected = true;
	}

	/** Watch for a while during which nothing else is to happen. */
	static void letPass(Duration duration) throws InterruptedException {
		Thread.sleep(duration.toMillis());
	}

	static void until(String what, BooleanSupplier condition) {
		await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition::getAsBoolean);
	}

	@Override
	public void close() {
		this.watch.close();
		this.replicas.parallelStream().forEach(Replica::close);
		logger().detachAppender(this.recorder);
		assertThat(this.watch.violations()).isEmpty();
		if (!this.errorsExpected) {
			assertThat(this.recorder.errors()).isEmpty();
		}
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.leaderstarter");
	}

	/** One replica. */
	final class Replica {

		final Member member = Member.start("replica", Map.of());

		final DefaultLeaderElections elections;

		private final LeaseStore store;

		/** How long each renewal took that was answered. */
		private final List<Duration> renewals = new CopyOnWriteArrayList<>();

		private final AtomicInteger polls = new AtomicInteger();

		private Replica(DataSource dataSource, LeaseTiming timing) {
			this.store = new JdbcLeaseStoreFactory(() -> dataSource,
					new JdbcLeaseProperties(new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null),
							Duration.ofMillis(200)))
				.create(new StoreIdentity("faults", this.member.id(), timing.ttl()));
			this.elections = new DefaultLeaderElections(this.member, this.store, TermGate.OPEN,
					new ElectionSettings(timing, Duration.ofSeconds(1)), TimeSource.SYSTEM);
			this.elections.addRequestListener((request, took, answered) -> {
				if (request.equals("renew") && answered) {
					this.renewals.add(took);
				}
				if (request.equals("observe") && answered) {
					this.polls.incrementAndGet();
				}
			});
		}

		boolean leads(String role) {
			return this.elections.election(role).isLeader();
		}

		/** The epoch of the term that is led. */
		long epoch(String role) {
			return this.elections.election(role).leadership().orElseThrow().epoch();
		}

		/** Why its terms ended. */
		List<String> ends(String role) {
			return this.elections.status(role)
				.history()
				.stream()
				.filter((change) -> change.from().equals("LEADER"))
				.map((change) -> String.valueOf(change.reason()))
				.toList();
		}

		/**
		 * Wait until the database has answered some renewals that are sent from now on.
		 */
		void awaitRenewals() {
			awaitRenewals(PATIENCE);
		}

		/** Wait for some renewals that are answered as quickly as that. */
		void awaitRenewals(Duration within) {
			int before = this.renewals.size();
			// One more, as one may be under way.
			until("renewals",
					() -> this.renewals.stream().skip(before).filter((took) -> took.compareTo(within) < 0).count() > 3);
		}

		/** Poll, and wait until the current state is known. */
		void poll() {
			int before = this.polls.get();
			until("poll", () -> {
				this.elections.resume();
				// One more, as one may be under way.
				return this.polls.get() > before + 1;
			});
		}

		/** Return whether the database answers it and it knows that another one leads. */
		boolean follows(Replica leader, String role) {
			return leader.leads(role) && !leads(role) && this.elections.storeStatus().isReachable()
					&& leader.member.id().equals(this.elections.status(role).leader());
		}

		/** Give up all roles, so that others can have them. */
		void resign() {
			this.elections.all().forEach(LeaderElection::resign);
		}

		String failure() {
			return Objects.requireNonNullElse(this.elections.storeStatus().failure(), "");
		}

		private void close() {
			this.elections.stop();
			this.store.close();
		}

	}

	private static final class Recorder extends AppenderBase<ILoggingEvent> {

		private final List<ILoggingEvent> events = new ArrayList<>();

		@Override
		protected synchronized void append(ILoggingEvent event) {
			this.events.add(event);
		}

		synchronized List<String> messages() {
			return this.events.stream().map(ILoggingEvent::getFormattedMessage).toList();
		}

		synchronized List<String> errors() {
			return this.events.stream()
				.filter((event) -> event.getLevel() == Level.ERROR)
				.map(ILoggingEvent::getFormattedMessage)
				.toList();
		}

	}

}
