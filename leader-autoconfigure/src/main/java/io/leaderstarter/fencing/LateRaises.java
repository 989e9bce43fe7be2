package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.Leadership;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tries again to raise fences for terms that began without. A raise that comes after the
 * end of its term does no harm: a fence that was raised for a later one is not lowered.
 */
final class LateRaises implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LateRaises.class);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final Map<List<String>, Leadership> wanted = new ConcurrentHashMap<>();

	private final ScheduledThreadPoolExecutor executor;

	LateRaises() {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "leader-late-raise");
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Raise a fence as soon as that can be done, unless a later term of the role wants
	 * the same meanwhile.
	 */
	void raise(Fence fence, Leadership leadership, String storeId) {
		this.wanted.put(List.of(fence.name(), leadership.role()), leadership);
		tryLater(fence, leadership, storeId);
	}

	/** Says that all terms are over, so that nothing need be raised for them. */
	void forget() {
		this.wanted.clear();
	}

	boolean isWanted(Fence fence, Leadership leadership) {
		return leadership.equals(this.wanted.get(List.of(fence.name(), leadership.role())));
	}

	private void tryLater(Fence fence, Leadership leadership, String storeId) {
		if (!this.executor.isShutdown()) {
			this.executor.schedule(() -> tryAgain(fence, leadership, storeId), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void tryAgain(Fence fence, Leadership leadership, String storeId) {
		List<String> key = List.of(fence.name(), leadership.role());
		if (!leadership.equals(this.wanted.get(key))) {
			return;
		}
		try {
			fence.raise(leadership, storeId);
			this.wanted.remove(key, leadership);
			logger.info("The fence in '%s' is raised for %s at last".formatted(fence.name(), leadership));
		}
		catch (EpochRegressionException ex) {
			this.wanted.remove(key, leadership);
			logger.warn(ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// Errors too, or nobody would try again.
			logger.debug("The fence cannot be raised yet", ex);
			tryLater(fence, leadership, storeId);
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
