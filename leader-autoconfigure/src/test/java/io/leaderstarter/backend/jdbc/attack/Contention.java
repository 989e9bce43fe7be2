package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;

/**
 * Many contenders for few roles with leases of milliseconds, on one real database. Every
 * term is written down with the time for which its holder relied on it. All contenders
 * live in one JVM, so these times are by one clock that is true for all.
 */
final class Contention {

	/** Nothing is to be aborted here; slow answers are the purpose. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(50);

	private final DataSource dataSource;

	private final LeaseTiming timing;

	private final DeadlineRule rule;

	private final List<String> roles;

	private final Collection<Term> terms = new ConcurrentLinkedQueue<>();

	private final AtomicInteger renewals = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	Contention(DataSource dataSource, LeaseTiming timing, DeadlineRule rule, int roles) {
		this.dataSource = dataSource;
		this.timing = timing;
		this.rule = rule;
		this.roles = IntStream.range(0, roles).mapToObj((i) -> "role-" + i).toList();
	}

	/**
	 * Let them contend for some time, and for longer if that was not enough on a machine
	 * that was paused meanwhile.
	 * @return all terms that were granted
	 */
	List<Term> run(int contenders, Duration duration, BooleanSupplier enough, long seed) throws Exception {
		List<LeaseStore> stores = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(contenders);
		try {
			for (int i = 0; i < contenders; i++) {
				LeaseStore store = createStore("contender-" + i);
				stores.add(store);
				store.prepare();
				store.observe(this.roles, StoreMember.attempt());
			}
			long end = System.nanoTime() + duration.toNanos();
			List<Callable<Void>> tasks = new ArrayList<>();
			for (int i = 0; i < contenders; i++) {
				Contender contender = new Contender("contender-" + i, stores.get(i), new Random(seed + i));
				tasks.add(() -> {
					while (System.nanoTime() - end < 0
							|| (System.nanoTime() - end < PATIENCE.toNanos() && !enough.getAsBoolean())) {
						contender.tryOnce();
					}
					return null;
				});
			}
			for (Future<Void> done : threads.invokeAll(tasks)) {
				done.get();
			}
			return terms();
		}
		finally {
			threads.shutdownNow();
			stores.forEach(LeaseStore::close);
		}
	}

	/** The terms so far. */
	List<Term> terms() {
		return List.copyOf(this.terms);
	}

	int renewals() {
		return this.renewals.get();
	}

	int failures() {
		return this.failures.get();
	}

	private LeaseStore createStore(String member) {
		return new JdbcLeaseStoreFactory(() -> this.dataSource,
				new JdbcLeaseProperties(
						new SchemaSettings(LeaderTable.DEFAULT_PREFIX, SchemaInitialization.ALWAYS, null),
						Duration.ofMillis(10)))
			.create(new StoreIdentity("contention", member, this.timing.ttl()));
	}

	/** The rule of the engine: counted from before anything was sent, less a margin. */
	static DeadlineRule fromSending(LeaseTiming timing) {
		long drift = (long) Math.ceil(timing.ttl().toNanos() * 0.001);
		return (sent, received) -> sent + timing.ttl().toNanos() - drift - timing.margin().toNanos();
	}

	/** A wrong rule: as if the lease began when the answer came, and lasted longer. */
	static DeadlineRule fromReceiving(LeaseTiming timing, Duration longer) {
		return (sent, received) -> received + timing.ttl().plus(longer).toNanos();
	}

	/** One contender, used by one thread. */
	private final class Contender {

		private final String member;

		private final LeaseStore store;

		private final Random random;

		Contender(String member, LeaseStore store, Random random) {
			this.member = member;
			this.store = store;
			this.random = random;
		}

		void tryOnce() throws InterruptedException {
			try {
				List<LeaseView> takeable = this.store.observe(Contention.this.roles, attempt())
					.stream()
					// Some ask although they see that somebody holds the role.
					.filter((view) -> StoreMember.isTakeable(view) || this.random.nextInt(20) == 0)
					.toList();
				if (takeable.isEmpty()) {
					TimeUnit.MICROSECONDS.sleep(this.random.nextInt(3000));
					return;
				}
				LeaseView view = takeable.get(this.random.nextInt(takeable.size()));
				take(StoreMember.request(view));
			}
			catch (StoreException ex) {
				// What came of it nobody knows; if it is a lease, it runs out.
				Contention.this.failures.incrementAndGet();
			}
		}

		private void take(LeaseRequest request) throws InterruptedException {
			Attempt attempt = attempt();
			Set<LeaseKey> granted = this.store.acquire(List.of(request), attempt);
			long received = System.nanoTime();
			if (!granted.contains(request.key())) {
				return;
			}
			long from = received;
			long until = Contention.this.rule.deadline(attempt.sentAt().nanos(), received);
			try {
				until = hold(request.key(), until);
			}
			finally {
				Contention.this.terms.add(new Term(request.role(), request.key().epoch(), this.member, from, until));
			}
		}

		/**
		 * Renew some times and sometimes releases.
		 * @return until when the term was relied on
		 */
		private long hold(LeaseKey lease, long firstDeadline) throws InterruptedException {
			long until = firstDeadline;
			try {
				for (int left = this.random.nextInt(5); left > 0; left--) {
					TimeUnit.NANOSECONDS.sleep(this.random.nextLong(Contention.this.timing.renewInterval().toNanos()));
					Attempt attempt = attempt();
					boolean renewed = this.store.renew(List.of(lease), attempt).renewed().contains(lease);
					long received = System.nanoTime();
					if (!renewed || received - until >= 0) {
						// An answer that is too late does not revive the term.
						return until;
					}
					Contention.this.renewals.incrementAndGet();
					until = Math.max(until, Contention.this.rule.deadline(attempt.sentAt().nanos(), received));
				}
				if (this.random.nextBoolean()) {
					long released = System.nanoTime();
					until = Math.min(until, released);
					this.store.release(List.of(lease), attempt());
				}
			}
			catch (StoreException ex) {
				Contention.this.failures.incrementAndGet();
			}
			return until;
		}

		private static Attempt attempt() {
			return new Attempt(TimeSource.SYSTEM.now(), TIMEOUT);
		}

	}

	/**
	 * Says until when a lease is relied on, in nanoseconds.
	 */
	@FunctionalInterface
	interface DeadlineRule {

		long deadline(long sent, long received);

	}

	/**
	 * A term as its holder saw it.
	 *
	 * @param from when the grant was known
	 * @param until when it was relied on no more
	 */
	record Term(String role, long epoch, String member, long from, long until) {

		/** Return whether the answer came early enough to be of any use. */
		boolean wasUsed() {
			return this.until - this.from > 0;
		}

	}

}
