package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.election.DefaultLeaderElections;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.NativeDetector;

/**
 * Starts the elections last and stops them first, so that all beans that calls need are
 * running while they are. By default, this member competes for roles once the application
 * is ready.
 */
final class LeaderLifecycle implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent>, DisposableBean {

	private static final Log logger = LogFactory.getLog(LeaderLifecycle.class);

	private final DefaultLeaderElections elections;

	private final Duration stopTimeout;

	private final ObjectProvider<DefaultLifecycleProcessor> processor;

	private final LeaderProperties.Candidate candidate;

	private final StartMessage message;

	private volatile boolean running;

	/** Stays true, though a context may be stopped and started again later. */
	private volatile boolean ready;

	/**
	 * Create a new lifecycle.
	 * @param elections the elections to start and stop
	 * @param stopTimeout the longest time that stopping may take
	 * @param processor stops this lifecycle; its own time-out may be too short for calls
	 * to end
	 * @param candidate from when on this member competes
	 * @param message the message to log at the start
	 */
	LeaderLifecycle(DefaultLeaderElections elections, Duration stopTimeout,
			ObjectProvider<DefaultLifecycleProcessor> processor, LeaderProperties.Candidate candidate,
			StartMessage message) {
		this.message = message;
		this.candidate = candidate;
		this.elections = elections;
		this.stopTimeout = stopTimeout;
		this.processor = processor;
	}

	@Override
	public void start() {
		// Not earlier: some contexts create their processor after all other beans.
		this.processor.ifUnique((unique) -> unique.setTimeoutForShutdownPhase(getPhase(), this.stopTimeout.toMillis()));
		if (!NativeDetector.inNativeImage()) {
			WarmUp.begin();
		}
		this.elections.start();
		this.running = true;
		if (logger.isInfoEnabled()) {
			logger.info(this.message.text(this.ready));
		}
		this.message.warnings().forEach(logger::warn);
		if (this.ready || this.candidate.start() == LeaderProperties.Start.CONTEXT) {
			this.elections.compete();
		}
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		this.ready = true;
		if (this.candidate.start() != LeaderProperties.Start.CONTEXT) {
			this.elections.compete();
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.elections.stop();
	}

	/**
	 * A call may have waited for a role before the application was started, and so
	 * started the elections. If the start fails later, {@code stop()} is not called.
	 */
	@Override
	public void destroy() {
		stop();
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
