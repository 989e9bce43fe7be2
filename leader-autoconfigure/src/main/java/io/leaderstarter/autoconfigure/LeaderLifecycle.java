package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.DefaultLifecycleProcessor;

/**
 * Starts the elections last and stops them first: what the calls need is there before and
 * after them. Nothing stands for a role before the application is ready.
 */
final class LeaderLifecycle implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

	private final DefaultLeaderElections elections;

	private final Duration patience;

	private final ObjectProvider<DefaultLifecycleProcessor> processor;

	private volatile boolean running;

	/**
	 * Makes the lifecycle.
	 * @param elections what is started and stopped
	 * @param patience the longest time that stopping may take
	 * @param processor stops us, with a time-out of its own that knows nothing of calls
	 * that are to end first
	 */
	LeaderLifecycle(DefaultLeaderElections elections, Duration patience,
			ObjectProvider<DefaultLifecycleProcessor> processor) {
		this.elections = elections;
		this.patience = patience;
		this.processor = processor;
	}

	@Override
	public void start() {
		// Not earlier: some contexts make their processor after all other beans.
		this.processor.ifUnique((unique) -> unique.setTimeoutForShutdownPhase(getPhase(), this.patience.toMillis()));
		this.elections.start();
		this.running = true;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		this.elections.stand();
	}

	@Override
	public void stop() {
		this.running = false;
		this.elections.stop();
	}

	@Override
	public void stop(Runnable callback) {
		Thread thread = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "leader-stop");
		thread.start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return Integer.MAX_VALUE;
	}

}
