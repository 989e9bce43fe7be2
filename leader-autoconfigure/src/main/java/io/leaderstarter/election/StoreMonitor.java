package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Knows how the store answers. It logs when that changes, not every time.
 */
final class StoreMonitor {

	private static final Log logger = LogFactory.getLog(StoreMonitor.class);

	private final String store;

	private final TimeSource time;

	private final List<RenewalListener> listeners = new CopyOnWriteArrayList<>();

	private final AtomicLong clockSteps = new AtomicLong();

	private volatile @Nullable String failure;

	private volatile @Nullable Moment answeredAt;

	StoreMonitor(String store, TimeSource time) {
		this.store = store;
		this.time = time;
	}

	void renewed(Duration took) {
		answered();
		this.listeners.forEach((listener) -> listener.onRenewal(took, true));
	}

	void renewalFailed(RuntimeException ex, Duration took) {
		failed("renew", ex);
		this.listeners.forEach((listener) -> listener.onRenewal(took, false));
	}

	void answered() {
		this.answeredAt = this.time.now();
		if (this.failure != null) {
			this.failure = null;
			logger.info("The %s backend answers again".formatted(this.store));
		}
	}

	void failed(String request, RuntimeException ex) {
		if (this.failure == null) {
			logger.warn(
					"The %s backend did not answer '%s': %s. Trying again; terms that are held last until their deadline"
						.formatted(this.store, request, ex.getMessage()));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("The %s backend still does not answer '%s'".formatted(this.store, request), ex);
		}
		this.failure = (ex.getMessage() != null) ? ex.getMessage() : ex.getClass().getName();
	}

	void clockStepped(Duration by) {
		this.clockSteps.incrementAndGet();
		logger.warn(
				("The clock of the %s backend was set %s by %d ms. Terms that are held stay valid as long as they can be renewed; "
						+ "keep that clock in step by slewing, not by setting it")
					.formatted(this.store, by.isNegative() ? "back" : "forward", by.abs().toMillis()));
	}

	void addListener(RenewalListener listener) {
		this.listeners.add(listener);
	}

	StoreStatus status() {
		Moment answered = this.answeredAt;
		return new StoreStatus(this.store, this.failure, (answered != null) ? this.time.now().since(answered) : null,
				this.clockSteps.get());
	}

}
