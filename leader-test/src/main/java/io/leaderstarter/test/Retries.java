package io.leaderstarter.test;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.StoreStatus;

import org.springframework.context.SmartLifecycle;

/**
 * Lets time pass while something that failed is to be retried. The next attempt is at a
 * later time, so a database that did not answer once, on a busy machine, would otherwise
 * keep this member from leading for ever.
 */
final class Retries implements SmartLifecycle {

	private static final Duration STEP = Duration.ofMillis(100);

	private final Supplier<DefaultLeaderElections> elections;

	private final ManualLeaseStore store;

	private final ManualTime time;

	private volatile ScheduledThreadPoolExecutor thread = stopped();

	Retries(Supplier<DefaultLeaderElections> elections, ManualLeaseStore store, ManualTime time) {
		this.elections = elections;
		this.store = store;
		this.time = time;
	}

	@Override
	public void start() {
		DefaultLeaderElections elections = this.elections.get();
		this.thread = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "leader-test-retries");
			thread.setDaemon(true);
			return thread;
		});
		this.thread.scheduleWithFixedDelay(() -> passTime(elections), STEP.toMillis(), STEP.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void passTime(DefaultLeaderElections elections) {
		StoreStatus status = elections.storeStatus();
		if (this.store.isReachable() && (!status.isReachable() || !status.blocked().isEmpty())) {
			this.time.pass(STEP);
			this.store.wake();
		}
	}

	@Override
	public void stop() {
		this.thread.shutdown();
	}

	@Override
	public boolean isRunning() {
		return !this.thread.isShutdown();
	}

	private static ScheduledThreadPoolExecutor stopped() {
		ScheduledThreadPoolExecutor none = new ScheduledThreadPoolExecutor(0);
		none.shutdown();
		return none;
	}

}
