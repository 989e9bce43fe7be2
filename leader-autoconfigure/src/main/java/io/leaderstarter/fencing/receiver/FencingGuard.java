package io.leaderstarter.fencing.receiver;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.StaleLeaderException;
import org.jspecify.annotations.Nullable;

/**
 * A fence for resources that have no fence table: it refuses epochs that are lower than
 * the highest one seen. A service that gets {@code Leader-Epoch} with its requests checks
 * it before it acts. Thread-safe.
 * <p>
 * It promises that once an epoch was accepted, no lower one is. A request that was
 * accepted may still be executed when a higher epoch is accepted, unless both are atomic:
 * check under the lock of the execution, or with an {@link EpochStore} in its
 * transaction.
 * <p>
 * It trusts its callers: a forged epoch locks the leader out. Epochs of different
 * applications cannot be compared, so each application needs a separate guard, or its
 * name as part of the role.
 *
 * @since 0.1.0
 */
public final class FencingGuard {

	private final EpochStore store;

	/**
	 * Create a new guard that keeps epochs in memory. After a restart it accepts an
	 * earlier leader until the current one sends a request.
	 */
	public FencingGuard() {
		this(inMemory());
	}

	/**
	 * Create a new guard.
	 * @param store keeps the highest epochs
	 */
	public FencingGuard(EpochStore store) {
		this.store = Objects.requireNonNull(store, "'store' must not be null");
	}

	/**
	 * Accept an epoch that is as high as the highest one seen, or higher.
	 * @param role the role that was sent
	 * @param epoch the epoch that was sent
	 * @throws StaleLeaderException if a higher epoch was seen
	 */
	public void check(String role, long epoch) {
		check(role, epoch, null);
	}

	/**
	 * Accept an epoch that is as high as the highest one seen, or higher. An epoch that
	 * was seen with another term id was granted twice, and is refused. If it was seen
	 * without a term id only, the first one that is sent with it counts.
	 * @param role the role that was sent
	 * @param epoch the epoch that was sent
	 * @param termId the id of the term that was sent, {@code null} if none was
	 * @throws StaleLeaderException if a higher epoch was seen, or another term id of this
	 * one
	 */
	public void check(String role, long epoch, @Nullable String termId) {
		EpochStore.Entry kept = this.store.raise(role, new EpochStore.Entry(epoch, termId));
		if (epoch < kept.epoch()) {
			throw new StaleLeaderException(
					"Epoch %d of '%s' is over: epoch %d was seen".formatted(epoch, role, kept.epoch()));
		}
		if (termId != null && kept.termId() != null && !termId.equals(kept.termId())) {
			throw new StaleLeaderException(
					"Epoch %d of '%s' was seen with another term id: it was granted twice".formatted(epoch, role));
		}
	}

	private static EpochStore inMemory() {
		Map<String, EpochStore.Entry> highest = new ConcurrentHashMap<>();
		return (role, offered) -> highest.merge(role, offered, (kept, other) -> other.replaces(kept) ? other : kept);
	}

}
