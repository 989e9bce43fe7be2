package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A session that was connected. An instance of {@link ZooKeeper} has only one in its
 * life, so a request through it never goes into another.
 *
 * @param handle sends requests
 * @param id what the servers know it by; it owns our ephemeral nodes
 */
record ZooKeeperSession(ZooKeeper handle, long id) {

	/** What the servers agreed to, which may be less than what was asked for. */
	Duration timeout() {
		return Duration.ofMillis(this.handle.getSessionTimeout());
	}

	/** A moment before the session began, {@code null} if somebody else made it. */
	@Nullable Moment bornAfter() {
		return (this.handle instanceof LeaderZooKeeper own) ? own.bornAfter() : null;
	}

}
