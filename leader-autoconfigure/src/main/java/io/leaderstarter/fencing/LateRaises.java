package io.leaderstarter.fencing;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Retries to raise fences for terms that began without them. A raise after the end of its
 * term does no harm: a fence that was raised for a later term is not lowered.
 */
final class LateRaises {

	private static final Log logger = LogFactory.getLog(LateRaises.class);

	private final Map<List<String>, Leadership> wanted = new ConcurrentHashMap<>();

	private final Executor executor = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS,
			Platform.SYSTEM.executor("leader-late-raise", 1));

	/**
	 * Raise a fence as soon as possible, unless a later term of the role requests the
	 * same meanwhile.
	 */
	void raise(Fence fence, Leadership leadership, String storeId) {
		this.wanted.put(List.of(fence.name(), leadership.role()), leadership);
		tryLater(fence, leadership, storeId);
	}

	/** End all retries, as all terms are over. */
	void forget() {
		this.wanted.clear();
	}

	boolean isWanted(Fence fence, Leadership leadership) {
		return leadership.equals(this.wanted.get(List.of(fence.name(), leadership.role())));
	}

	private void tryLater(Fence fence, Leadership leadership, String storeId) {
		this.executor.execute(() -> tryAgain(fence, leadership, storeId));
	}

	private void tryAgain(Fence fence, Leadership leadership, String storeId) {
		List<String> key = List.of(fence.name(), leadership.role());
		if (!leadership.equals(this.wanted.get(key))) {
			return;
		}
		try {
			fence.raise(leadership, storeId);
			this.wanted.remove(key, leadership);
			logger.info("The fence in '%s' is raised for %s after all".formatted(fence.name(), leadership));
		}
		catch (EpochRegressionException ex) {
			this.wanted.remove(key, leadership);
			logger.warn(ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// Errors too, or the raise would not be retried.
			logger.debug("The fence cannot be raised yet", ex);
			tryLater(fence, leadership, storeId);
		}
	}

}
