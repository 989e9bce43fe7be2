package io.leaderstarter.election;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs when a term begins and ends. It is notified as any listener is, as logging can
 * block.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class TransitionLog implements LeadershipListener {

	private static final Log logger = LogFactory.getLog(TransitionLog.class);

	/** It may be a follower, which has no term that ends with it. */
	static void paused(String roles) {
		logger.info("This member is paused: it does not compete for %s before it is resumed".formatted(roles));
	}

	static void resumed(String roles) {
		logger.info("This member is resumed: it competes for %s again".formatted(roles));
	}

	@Override
	public void onGranted(Leadership leadership) {
		logger.info("This member leads " + leadership);
	}

	@Override
	public void onRevoked(Leadership leadership, RevocationReason reason) {
		logger.info("This member no longer leads %s: %s".formatted(leadership, reason));
	}

}
