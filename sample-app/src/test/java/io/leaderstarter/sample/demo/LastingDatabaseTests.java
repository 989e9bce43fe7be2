package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import io.leaderstarter.sample.demo.server.LastingDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LastingDatabase}.
 */
@Tag("verify")
class LastingDatabaseTests {

	@Test
	void lastsForAsLongAsSomebodyWhoFoundItIsThere(@TempDir Path folder) throws Exception {
		String url;
		try (LastingDatabase first = new LastingDatabase(folder);
				LastingDatabase second = new LastingDatabase(folder)) {
			url = first.findOrStart();
			// The server's own session, the one that asks here, and that of the first.
			assertThat(sessions(url)).isEqualTo(3);
			assertThat(second.findOrStart()).isEqualTo(url);
			assertThat(sessions(url)).isEqualTo(4);
			// The server checks its connections once a second, and waits two minutes for
			// the
			// first one.
			Thread.sleep(2000);
		}
		RunningDemo.eventually().until(() -> DatabaseProcesses.below(folder).isEmpty());
	}

	private static int sessions(String url) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("select count(*) from information_schema.sessions")) {
			rows.next();
			return rows.getInt(1);
		}
	}

}
