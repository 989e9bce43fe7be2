package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

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
import io.leaderstarter.election.LeaseTiming;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.jdbc.SchemaInitialization;
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
	static final Duration PATIENCE = Duration.ofSeconds(20);

	private final Duration ttl;

	private final List<Replica> replicas = new ArrayList<>();

	private final LeaderWatch watch;

	private final Recorder recorder = new Recorder();

	private boolean errorsExpected;

	Replicas(Duration ttl, String... roles) {
		this.ttl = ttl;
		this.watch = new LeaderWatch(List.of(roles));
		this.recorder.start();
		logger().addAppender(this.recorder);
	}

	/** Starts a replica that reaches the database in its own way. */
	Replica start(DataSource dataSource) {
		Replica replica = new Replica(dataSource);
		this.replicas.add(replica);
		this.watch.roles().forEach(replica.elections::join);
		this.watch.add(replica.elections);
		replica.elections.start();
		replica.elections.stand();
		return replica;
	}

	/** Starts a replica and waits until it leads all roles. */
	Replica startLeader(DataSource dataSource) {
		Replica leader = start(dataSource);
		until("first leader", () -> this.watch.roles().stream().allMatch(leader::leads));
		return leader;
	}

	/** Starts a replica and waits until it has seen who leads. */
	Replica startFollower(DataSource dataSource) {
		Replica follower = start(dataSource);
		until("follower that has looked",
				() -> this.watch.roles().stream().allMatch((role) -> follower.elections.status(role).leader() != null));
		return follower;
	}

	boolean anyLeads(String role) {
		return this.replicas.stream().anyMatch((replica) -> replica.leads(role));
	}

	/** Waits until somebody leads in a later term than the given one. */
	Leadership awaitTermAfter(long epoch, String role) {
		until("term after " + epoch,
				() -> this.replicas.stream()
					.flatMap((replica) -> replica.elections.election(role).leadership().stream())
					.anyMatch((leadership) -> leadership.epoch() > epoch));
		return this.watch.lastTerm(role);
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

	/** Watches for a while during which nothing else is to happen. */
	static void letPass(Duration duration) throws InterruptedException {
		Thread.sleep(duration.toMillis());
	}

	static void until(String what, BooleanSupplier condition) {
		until(what, PATIENCE, condition);
	}

	static void until(String what, Duration patience, BooleanSupplier condition) {
		await(what).atMost(patience).pollInterval(Duration.ofMillis(5)).until(condition::getAsBoolean);
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

		private Replica(DataSource dataSource) {
			this.store = new JdbcLeaseStoreFactory(() -> dataSource,
					new JdbcLeaseProperties(SchemaInitialization.ALWAYS, null, "leader_", Duration.ofMillis(200), true))
				.create(new StoreIdentity("faults", this.member.id(), Replicas.this.ttl));
			this.elections = new DefaultLeaderElections(this.member, this.store, TermGate.OPEN,
					new ElectionSettings(LeaseTiming.of(Replicas.this.ttl, null, null, null), Duration.ofSeconds(1),
							(role) -> true),
					TimeSource.SYSTEM);
		}

		boolean leads(String role) {
			return this.elections.election(role).isLeader();
		}

		/** The epoch of the term that is led. */
		long epoch(String role) {
			return this.elections.election(role).leadership().orElseThrow().epoch();
		}

		/** Whether it hears from the database and knows that another one leads. */
		boolean follows(Replica leader, String role) {
			return leader.leads(role) && !leads(role) && this.elections.storeStatus().isReachable()
					&& leader.member.id().equals(this.elections.status(role).leader());
		}

		/** Gives up all roles, so that others can have them. */
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
