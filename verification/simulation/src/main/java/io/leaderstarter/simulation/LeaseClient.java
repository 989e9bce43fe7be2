package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreListener;

/**
 * The store as one member sees it.
 */
final class LeaseClient implements LeaseStore {

	private static final Duration TOLERANCE = Duration.ofMillis(250);

	private final StoreIdentity identity;

	private final LeaseServer server;

	private final Network network;

	private final LongSupplier nanoTime;

	private final Duration pollInterval;

	private StoreListener listener;

	private boolean closed;

	/** How far the clock of the server was ahead of ours at least and at most. */
	private long leastAhead = Long.MIN_VALUE;

	private long mostAhead = Long.MAX_VALUE;

	LeaseClient(StoreIdentity identity, LeaseServer server, Network network, LongSupplier nanoTime,
			Duration pollInterval) {
		this.identity = identity;
		this.server = server;
		this.network = network;
		this.nanoTime = nanoTime;
		this.pollInterval = pollInterval;
	}

	@Override
	public String name() {
		return "simulated";
	}

	@Override
	public String storeId() {
		return "store";
	}

	@Override
	public void prepare() {
		call("prepare", Duration.ofSeconds(5), () -> true);
	}

	@Override
	public Duration pollInterval() {
		return this.pollInterval;
	}

	@Override
	public void setListener(StoreListener listener) {
		this.listener = listener;
	}

	String member() {
		return this.identity.member();
	}

	/** Notify this member that a role may be free. */
	void hint() {
		if (this.listener != null && !this.closed) {
			this.listener.onMaybeFree();
		}
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		long sent = this.nanoTime.getAsLong();
		long[] clock = new long[1];
		List<LeaseView> views = call("observe", attempt.timeout(), () -> {
			clock[0] = this.server.now();
			return this.server.observe(this.identity, roles);
		});
		readClock(clock[0], sent, this.nanoTime.getAsLong());
		return views;
	}

	private void readClock(long clock, long sent, long received) {
		long least = clock - received;
		long most = clock - sent;
		long tolerance = TOLERANCE.toNanos();
		if (this.listener != null && this.server.showsExpiry() && this.mostAhead != Long.MAX_VALUE
				&& (least - this.mostAhead > tolerance || this.leastAhead - most > tolerance)) {
			this.listener.onClockStep(Duration.ofNanos(least - this.leastAhead));
		}
		this.leastAhead = least;
		this.mostAhead = most;
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		return call("acquire", attempt.timeout(), () -> this.server.acquire(this.identity, requests));
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return new Renewal(call("renew", attempt.timeout(), () -> this.server.renew(this.identity, leases)),
				attempt.sentAt());
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		call("release", attempt.timeout(), () -> {
			this.server.release(this.identity, leases);
			return true;
		});
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return call("announce", attempt.timeout(), () -> this.server.announce(this.identity, self));
	}

	@Override
	public void withdraw(Attempt attempt) {
		call("withdraw", attempt.timeout(), () -> {
			this.server.withdraw(this.identity);
			return true;
		});
	}

	@Override
	public void close() {
		this.closed = true;
	}

	private <T> T call(String request, Duration timeout, Supplier<T> effect) {
		if (this.closed) {
			throw new StoreException("The store is closed", null);
		}
		return this.network.call(request, timeout, effect);
	}

}
