package io.leaderstarter.backend.jdbc;

import java.util.concurrent.atomic.AtomicBoolean;

import io.leaderstarter.TestContexts;
import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests for {@link LeaseNotifications}.
 */
class LeaseNotificationsTests {

	/** A class that cannot be loaded, or no memory for a moment. */
	@Test
	@Tag("verify")
	void memberIsNotifiedAgainAfterAnErrorOfTheDriver() {
		AtomicBoolean failed = new AtomicBoolean();
		AdaptedDataSource failing = new AdaptedDataSource(PostgresServer.newDatabase(), (connection) -> {
			if (failed.compareAndSet(false, true)) {
				connection.close();
				throw new LinkageError("no such class");
			}
		});
		try (LeaseNotifications notifications = new LeaseNotifications(failing, "leader_lease", "test", () -> {
		})) {
			notifications.start();
			TestContexts.await().until(notifications::isListening);
		}
	}

}
