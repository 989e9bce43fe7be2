package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A session that was connected. An instance of {@link ZooKeeper} has only one session, so
 * a request through it is never sent in another.
 *
 * @param handle sends requests
 * @param id its id in the servers; it owns the ephemeral nodes of this member
 */
record ZooKeeperSession(ZooKeeper handle, long id) {

	/** Return the negotiated time-out, which may be shorter than requested. */
	Duration timeout() {
		return Duration.ofMillis(this.handle.getSessionTimeout());
	}

	/**
	 * Return a moment before the session was created, {@code null} for a client of the
	 * application.
	 */
	@Nullable Moment createdAfter() {
		return (this.handle instanceof LeaderZooKeeper dedicated) ? dedicated.createdAfter() : null;
	}

}
