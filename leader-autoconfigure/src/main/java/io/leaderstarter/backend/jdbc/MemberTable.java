package io.leaderstarter.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.backend.support.Chunks;
import io.leaderstarter.backend.support.KnownMembers;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.SqlErrors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the row of this member and reads those of the others. Each row has a version,
 * which changes with its text, so that only changes are written and read.
 */
final class MemberTable {

	private static final int CHUNK = 50;

	private static final int TTLS_UNTIL_DEAD = 3;

	private static final int TTLS_UNTIL_FORGOTTEN = 10;

	/** A longer one is garbage. */
	private static final Duration LONGEST_TTL = Duration.ofDays(1);

	private final MemberSql sql;

	private final StoreIdentity identity;

	private final KnownMembers known = new KnownMembers();

	/** Starts with the current time, so that it differs from those of earlier runs. */
	private long version = System.currentTimeMillis();

	private @Nullable String written;

	MemberTable(MemberSql sql, StoreIdentity identity) {
		this.sql = sql;
		this.identity = identity;
	}

	/**
	 * Write the row of this member, and read those of all live members. A table that
	 * cannot be used is an answer and no failure, as leases still need the connection.
	 */
	Answer announce(JdbcSession session, Presence self) throws SQLException {
		try {
			write(session, self);
			read(session, this.known.changed(live(session).stream().map(Row::entry).toList()));
			return new Answer(this.known.all(), null);
		}
		catch (SQLException ex) {
			return refused(ex);
		}
	}

	Answer withdraw(JdbcSession session) throws SQLException {
		this.written = null;
		try (PreparedStatement statement = session.prepare(this.sql.withdraw())) {
			statement.setString(1, this.identity.namespace());
			statement.setString(2, this.identity.member());
			statement.executeUpdate();
			return new Answer(List.of(), null);
		}
		catch (SQLException ex) {
			return refused(ex);
		}
	}

	private static Answer refused(SQLException failure) throws SQLException {
		if (!SqlErrors.isUnusable(failure)) {
			throw failure;
		}
		return new Answer(List.of(), failure);
	}

	private void write(JdbcSession session, Presence self) throws SQLException {
		if (self.text().equals(this.written) && touch(session)) {
			return;
		}
		this.written = null;
		this.version++;
		if (write(session, this.sql.rewrite(), self) == 0) {
			write(session, this.sql.insert(), self);
		}
		this.written = self.text();
	}

	/** Return false if another member has deleted the row. */
	private boolean touch(JdbcSession session) throws SQLException {
		try (PreparedStatement statement = session.prepare(this.sql.touch())) {
			statement.setString(1, this.identity.namespace());
			statement.setString(2, this.identity.member());
			statement.setLong(3, this.version);
			return statement.executeUpdate() == 1;
		}
	}

	private int write(JdbcSession session, String statementText, Presence self) throws SQLException {
		try (PreparedStatement statement = session.prepare(statementText)) {
			statement.setLong(1, this.version);
			statement.setLong(2, this.identity.ttl().toNanos() / 1000);
			statement.setString(3, self.text());
			statement.setString(4, this.identity.namespace());
			statement.setString(5, this.identity.member());
			return statement.executeUpdate();
		}
	}

	/**
	 * Return the rows of live members, and delete those of members that are gone for
	 * long.
	 */
	private List<Row> live(JdbcSession session) throws SQLException {
		List<Row> live = new ArrayList<>();
		List<Row> forgotten = new ArrayList<>();
		try (PreparedStatement statement = session.prepare(this.sql.list())) {
			statement.setMaxRows(KnownMembers.MOST);
			statement.setString(1, this.identity.namespace());
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					Row row = Row.of(rows);
					if (row.isOlderThan(TTLS_UNTIL_FORGOTTEN)) {
						forgotten.add(row);
					}
					else if (!row.isOlderThan(TTLS_UNTIL_DEAD)) {
						live.add(row);
					}
				}
			}
		}
		forget(session, forgotten);
		return live;
	}

	/** A member that is back meanwhile has another time in its row. */
	private void forget(JdbcSession session, List<Row> forgotten) throws SQLException {
		for (Row row : forgotten) {
			try (PreparedStatement statement = session.prepare(this.sql.forget())) {
				statement.setString(1, this.identity.namespace());
				statement.setString(2, row.member());
				statement.setLong(3, row.seenAt());
				statement.executeUpdate();
			}
		}
	}

	/** A row that changes meanwhile is read again by the next call. */
	private void read(JdbcSession session, List<KnownMembers.Entry> changed) throws SQLException {
		for (List<KnownMembers.Entry> chunk : Chunks.of(changed, CHUNK)) {
			Map<String, KnownMembers.Entry> byMember = new HashMap<>();
			try (PreparedStatement statement = session.prepare(this.sql.read(chunk.size()))) {
				statement.setString(1, this.identity.namespace());
				for (int i = 0; i < chunk.size(); i++) {
					statement.setString(2 + i, chunk.get(i).member());
					byMember.put(chunk.get(i).member(), chunk.get(i));
				}
				try (ResultSet rows = statement.executeQuery()) {
					while (rows.next()) {
						KnownMembers.Entry entry = byMember.get(rows.getString("member_id"));
						if (entry != null) {
							this.known.read(entry, rows.getString("presence"));
						}
					}
				}
			}
		}
	}

	/**
	 * The answer of the database.
	 *
	 * @param members the live members
	 * @param refusal why the table cannot be used, {@code null} if it can
	 */
	record Answer(Collection<Presence> members, @Nullable SQLException refusal) {
	}

	/**
	 * A row without its text.
	 *
	 * @param member who wrote it
	 * @param version of its text
	 * @param seenAt when it was written
	 * @param age the time since then; a row of the future is as wrong as one of the past
	 * @param ttl the time between two writes
	 */
	private record Row(String member, long version, long seenAt, Duration age, Duration ttl) {

		private static Row of(ResultSet row) throws SQLException {
			long seenAt = row.getLong("seen_at_us");
			Duration age = Duration.of(row.getLong("now_us"), ChronoUnit.MICROS)
				.minus(Duration.of(seenAt, ChronoUnit.MICROS));
			Duration ttl = Duration.of(row.getLong("ttl_us"), ChronoUnit.MICROS);
			return new Row(row.getString("member_id"), row.getLong("version"), seenAt, age.abs(),
					(ttl.compareTo(LONGEST_TTL) < 0) ? ttl : LONGEST_TTL);
		}

		private KnownMembers.Entry entry() {
			return new KnownMembers.Entry(this.member, this.member, this.version);
		}

		private boolean isOlderThan(int ttls) {
			return this.age.compareTo(this.ttl.multipliedBy(ttls)) > 0;
		}

	}

}
