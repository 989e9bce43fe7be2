package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.RequestListener;
import io.leaderstarter.election.spi.SafeText;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Observes how the store answers, and logs when that changes.
 */
final class StoreMonitor {

	private static final Log logger = LogFactory.getLog(StoreMonitor.class);

	/** Waiting for so many times the own ttl is logged. */
	private static final int LONG_WAIT = 10;

	private static final int LONGEST_FAILURE = 1000;

	/** With less than this share of the ttl left a renewal is late. */
	private static final int LATE = 3;

	/** What fails so often in a row is not a short outage. */
	private static final int ALWAYS = 2;

	private final String store;

	private final TimeSource time;

	private final Duration ttl;

	private final List<RequestListener> listeners = new CopyOnWriteArrayList<>();

	private final Set<String> withoutNextEpoch = ConcurrentHashMap.newKeySet();

	/** By role the epoch for which it was logged. */
	private final Map<String, Long> longWaits = new ConcurrentHashMap<>();

	private final Map<String, String> refused = new ConcurrentHashMap<>();

	private final Map<String, Obstacle> obstacles = new ConcurrentHashMap<>();

	/** By kind of request the failure that was logged since it was answered last. */
	private final Map<String, String> reportedFailures = new ConcurrentHashMap<>();

	private final AtomicLong clockSteps = new AtomicLong();

	private volatile @Nullable String failure;

	private volatile @Nullable Moment answeredAt;

	/** Since when it does not answer. */
	private volatile @Nullable Moment failingSince;

	private volatile StoreStatus.@Nullable LastRenewal lastRenewal;

	private volatile @Nullable Duration leastLeft;

	/** How often in a row the members could not be listed. */
	private int unlisted;

	/** Whether the current failure was logged when it began. */
	private boolean reported;

	/** Whether the last renewal came late. */
	private boolean late;

	/**
	 * Create a monitor.
	 * @param store name of the store
	 * @param time the clocks
	 * @param ttl how long a lease lasts
	 */
	StoreMonitor(String store, TimeSource time, Duration ttl) {
		this.store = store;
		this.time = time;
		this.ttl = ttl;
	}

	/**
	 * Record a renewal that was answered.
	 * @param sent when it was sent
	 * @param left how long the first of the terms would have lasted without it
	 */
	void renewed(Moment sent, Duration left) {
		answered("renew", sent);
		Moment now = this.time.now();
		this.lastRenewal = new StoreStatus.LastRenewal(Instant.ofEpochMilli(now.wallMillis()), now.since(sent));
		Duration least = this.leastLeft;
		if (least == null || left.compareTo(least) < 0) {
			this.leastLeft = left.isNegative() ? Duration.ZERO : left;
		}
		boolean late = left.multipliedBy(LATE).compareTo(this.ttl) < 0;
		if (late && !this.late) {
			String when = left.isNegative() ? "%d ms after" : "only %d ms before";
			logger.warn(("The leases were renewed " + when
					+ " their end, of a ttl of %d ms. This process or the %s backend is slow; "
					+ "if it stays so, set leader.lease.ttl to more")
				.formatted(left.abs().toMillis(), this.ttl.toMillis(), this.store));
		}
		this.late = late;
	}

	void answered(String request, Moment sent) {
		Moment now = this.time.now();
		this.answeredAt = now;
		notifyListeners(request, now.since(sent), true);
		if (this.failure != null) {
			this.failure = null;
			this.failingSince = null;
			if (this.reported) {
				logger.info("The %s backend answers again".formatted(this.store));
			}
		}
		this.reportedFailures.remove(request);
	}

	void failed(String request, Moment sent, RuntimeException ex) {
		notifyListeners(request, this.time.now().since(sent), false);
		String described = describe(ex);
		boolean begins = this.failure == null;
		if (begins) {
			this.failingSince = sent;
			// One kind of request may fail for ever while others are answered.
			this.reported = !described.equals(this.reportedFailures.put(request, described));
		}
		if (begins && this.reported) {
			logger.warn(
					"The %s backend did not answer '%s': %s. Trying again; terms that are held last until their deadline"
						.formatted(this.store, request, described));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("The %s backend still does not answer '%s'".formatted(this.store, request), ex);
		}
		this.failure = described;
	}

	/**
	 * Record how the members were listed. Elections do not need the list, so a failure
	 * does not count as one of the store. It is logged only if it is repeated while the
	 * store answers all else.
	 * @param sent when the list was asked for
	 * @param failure why there is none, {@code null} if there is one
	 */
	void announced(Moment sent, @Nullable RuntimeException failure) {
		notifyListeners("announce", this.time.now().since(sent), failure == null);
		if (failure == null) {
			this.unlisted = 0;
			return;
		}
		logger.debug("The members could not be listed", failure);
		if (this.failure == null && this.unlisted < ALWAYS) {
			this.unlisted++;
			if (this.unlisted == ALWAYS) {
				logger.warn(
						"The %s backend cannot list the members: %s. Elections go on; candidates are not shown, and priorities and placement do not count"
							.formatted(this.store, describe(failure)));
			}
		}
	}

	/** Some drivers quote the whole statement, which has thousands of parameters. */
	private static String describe(RuntimeException failure) {
		String message = SafeText
			.withoutSecrets((failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getName());
		return (message.length() > LONGEST_FAILURE) ? message.substring(0, LONGEST_FAILURE) + "..." : message;
	}

	void clockStepped(Duration by) {
		this.clockSteps.incrementAndGet();
		logger.warn(
				("The clock of the %s backend was set %s by %d ms. Terms that are held stay valid as long as they can be renewed; "
						+ "keep that clock in step by slewing, not by setting it")
					.formatted(this.store, by.isNegative() ? "back" : "forward", by.abs().toMillis()));
	}

	/**
	 * Record whether a row holds an epoch that no election has written.
	 */
	void noNextEpoch(LeaseView view, boolean missing) {
		if (missing && this.withoutNextEpoch.add(view.role())) {
			logger.error(("The role '%s' has the epoch %d in the %s backend, which was not written by an election. "
					+ "No member can lead it. Set the epoch there to one that is higher than all that were granted")
				.formatted(view.role(), view.epoch(), this.store));
		}
		else if (!missing) {
			this.withoutNextEpoch.remove(view.role());
		}
	}

	/**
	 * Record how long a role has to be waited for. If the holder of a lease that lasts
	 * far longer than the own ttl crashed, no member takes over for all that time.
	 */
	void waits(LeaseView view, @Nullable Duration delay) {
		LeaseView.Owner owner = view.owner();
		if (owner == null || owner.expiry() == null || delay == null
				|| delay.compareTo(this.ttl.multipliedBy(LONG_WAIT)) <= 0) {
			return;
		}
		Long warned = this.longWaits.put(view.role(), view.epoch());
		if (warned == null || warned != view.epoch()) {
			logger
				.warn(("The row of the role '%s' in the %s backend names '%s' as its holder, with epoch %d and a ttl of %s, "
						+ "while the ttl here is %s. If that member is gone, no member takes over for another %s. "
						+ "Give all members the same leader.lease.ttl; if none has that of the row, set it there to %d ms")
					.formatted(view.role(), this.store, SafeText.safely(owner.member()), view.epoch(),
							owner.expiry().ttl(), this.ttl, delay.truncatedTo(ChronoUnit.SECONDS),
							this.ttl.toMillis()));
		}
	}

	/**
	 * Record whether the fences let a term of a role begin.
	 * @param role the role
	 * @param objection why they do not, {@code null} if they do
	 */
	void refused(String role, @Nullable String objection) {
		if (objection == null) {
			this.refused.remove(role);
		}
		else if (!objection.equals(this.refused.put(role, objection))) {
			logger.error("This member does not compete for '%s'. %s".formatted(role, objection));
		}
	}

	/** Whether the fences let no term of a role begin, as far as this member knows. */
	boolean isRefused(String role) {
		return this.refused.containsKey(role);
	}

	/**
	 * Take note that a term of a role could not begin.
	 */
	void blocked(String role, String reason) {
		Moment now = this.time.now();
		String shown = SafeText.withoutSecrets(reason);
		this.obstacles.compute(role, (key, known) -> new Obstacle(shown, (known != null) ? known.since() : now));
	}

	/**
	 * Record that a member leads a role, so nothing is in the way.
	 */
	void led(String role) {
		this.obstacles.remove(role);
	}

	void addListener(RequestListener listener) {
		this.listeners.add(listener);
	}

	private void notifyListeners(String request, Duration took, boolean answered) {
		this.listeners.forEach((listener) -> listener.onRequest(request, took, answered));
	}

	StoreStatus status() {
		return new StoreStatus(this.store, this.failure, sinceThen(this.failingSince), sinceThen(this.answeredAt),
				this.lastRenewal, this.leastLeft, this.clockSteps.get(), new TreeMap<>(this.refused), blocked());
	}

	private @Nullable Duration sinceThen(@Nullable Moment moment) {
		return (moment != null) ? this.time.now().since(moment) : null;
	}

	private Map<String, StoreStatus.Blocked> blocked() {
		Moment now = this.time.now();
		Map<String, StoreStatus.Blocked> blocked = new TreeMap<>();
		this.obstacles.forEach((role, obstacle) -> blocked.put(role,
				new StoreStatus.Blocked(obstacle.reason(), now.since(obstacle.since()))));
		return blocked;
	}

	private record Obstacle(String reason, Moment since) {
	}

}
