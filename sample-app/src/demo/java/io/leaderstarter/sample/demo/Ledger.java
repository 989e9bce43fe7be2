package io.leaderstarter.sample.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.sample.demo.LandedWrites.Write;
import org.jspecify.annotations.Nullable;

/**
 * Reads new writes from the database itself, whatever the nodes report.
 */
final class Ledger {

	/** Longer than any transaction is open that still commits. */
	private static final int OVERLAP_MILLIS = 60_000;

	private static final int REMEMBERED = 10_000;

	private static final Map<String, String> QUERIES = Map.of("invoices",
			"select id, closed_by, closed_at from invoice where closed_at > ? order by closed_at", "outbox",
			"select id, sent_by, sent_at from outbox where sent_at > ? order by sent_at");

	private final String url;

	private final String user;

	private final Map<String, Long> latest = new LinkedHashMap<>();

	private final Map<String, Boolean> seen = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > REMEMBERED;
		}

	};

	private @Nullable Connection connection;

	Ledger(String url, String user) {
		this.url = url;
		this.user = user;
	}

	/**
	 * Read what has come since the last time.
	 * @return new rows of both tables
	 */
	List<Write> observe() throws SQLException {
		try {
			if (this.connection == null) {
				this.connection = DriverManager.getConnection(this.url, this.user, "");
			}
			List<Write> found = new ArrayList<>();
			for (Map.Entry<String, String> query : QUERIES.entrySet()) {
				read(this.connection, query.getKey(), query.getValue(), found);
			}
			return found;
		}
		catch (SQLException ex) {
			close();
			throw ex;
		}
	}

	private void read(Connection from, String role, String query, List<Write> found) throws SQLException {
		try (PreparedStatement statement = from.prepareStatement(query)) {
			long since = Math.max(OVERLAP_MILLIS, this.latest.getOrDefault(role, 0L)) - OVERLAP_MILLIS;
			// Some databases know no earlier timestamps.
			statement.setTimestamp(1, new Timestamp(Math.max(since, 86_400_000L * 2)));
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					this.latest.merge(role, rows.getTimestamp(3).getTime(), Math::max);
					if (this.seen.putIfAbsent(role + rows.getString(1), true) == null) {
						found.add(new Write(role, rows.getLong(2)));
					}
				}
			}
		}
	}

	private void close() {
		Connection broken = this.connection;
		this.connection = null;
		try {
			if (broken != null) {
				broken.close();
			}
		}
		catch (SQLException ex) {
			// It is given up all the same.
		}
	}

}
