package io.leaderstarter.autoconfigure;

import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the elections last and stops them first: what the calls need is there before and
 * after them. Nothing stands for a role before the application is ready.
 */
final class LeaderLifecycle implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

	private final DefaultLeaderElections elections;

	private volatile boolean running;

	LeaderLifecycle(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	@Override
	public void start() {
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
