package io.leaderstarter.testsupport;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.slf4j.LoggerFactory;

/**
 * Initializes the logging system before any test class. SLF4J gives a substitute to those
 * who ask for a logger while another thread initializes it, and test classes run in
 * parallel.
 */
public final class LoggingFirst implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		LoggerFactory.getILoggerFactory();
	}

}
