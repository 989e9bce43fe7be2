package io.leaderstarter.election;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs when a term begins and ends. Called like any listener, as logging can take its
 * time.
 */
final class TransitionLog implements LeadershipListener {

	private static final Log logger = LogFactory.getLog(TransitionLog.class);

	@Override
	public void onGranted(Leadership leadership) {
		logger.info("This member leads " + leadership);
	}

	@Override
	public void onRevoked(Leadership leadership, RevocationReason reason) {
		logger.info("This member no longer leads %s: %s".formatted(leadership, reason));
	}

}
