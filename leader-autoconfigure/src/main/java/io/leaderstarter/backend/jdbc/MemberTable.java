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
import java.util.function.Supplier;

import io.leaderstarter.backend.support.Chunks;
import io.leaderstarter.backend.support.KnownMembers;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SqlError;
import org.jspecify.annotations.Nullable;

/**
 * Writes the row of this member and reads those of the others. Each row has a version,
 * which changes with its text, so that only changes are written and read. Each statement
 * runs in autocommit mode.
 */
final class MemberTable {

	static final List<String> COLUMNS = List.of("namespace", "member_id", "version", "ttl_us", "seen_at_us",
			"presence");

	private static final int CHUNK = 50;

	private static final int TTLS_UNTIL_DEAD = 3;

	private static final int TTLS_UNTIL_FORGOTTEN = 10;

	/** A longer one is garbage. */
	private static final Duration LONGEST_TTL = Duration.ofDays(1);

	private final String table;

	private final String script;

	/** The clock of the database in SQL. */
	private final String now;

	private final StoreIdentity identity;

	private final KnownMembers known = new KnownMembers();

	/** Starts with the current time, so that it differs from those of earlier runs. */
	private long version = System.currentTimeMillis();

	private @Nullable String written;

	MemberTable(LeaderTable table, JdbcDialect dialect, StoreIdentity identity) {
		this.table = table.qualifiedName();
		this.script = table.script(dialect);
		this.now = dialect.nowMicros();
		this.identity = identity;
	}

	/**
	 * Write the row of this member, and read those of all live members. A table that
	 * cannot be used is an answer, which throws, and no failure, as leases still need the
	 * connection.
	 */
	Supplier<Collection<Presence>> announce(JdbcSession session, Presence self) throws SQLException {
		try {
			write(session, self);
			read(session, this.known.changed(live(session).stream().map(Row::entry).toList()));
			Collection<Presence> members = this.known.all();
			return () -> members;
		}
		catch (SQLException ex) {
			return refused(ex);
		}
	}

	Supplier<Collection<Presence>> withdraw(JdbcSession session) throws SQLException {
		this.written = null;
		try {
			session.update("delete from %s where namespace = ? and member_id = ?".formatted(this.table),
					this.identity.namespace(), this.identity.member());
			return List::of;
		}
		catch (SQLException ex) {
			return refused(ex);
		}
	}

	private Supplier<Collection<Presence>> refused(SQLException failure) throws SQLException {
		if (!SqlError.UNUSABLE.is(failure)) {
			throw failure;
		}
		return () -> {
			throw new StoreException(
					"The table %s cannot be used (%s). Change its columns to those in the script '%s' from the jar of leader-autoconfigure, and grant this application's user select, insert, update and delete on it"
						.formatted(this.table, failure.getMessage(), this.script),
					failure);
		};
	}

	private void write(JdbcSession session, Presence self) throws SQLException {
		if (self.text().equals(this.written) && touch(session)) {
			return;
		}
		this.written = null;
		this.version++;
		Object[] parameters = { this.version, this.identity.ttl().toNanos() / 1000, self.text(),
				this.identity.namespace(), this.identity.member() };
		String update = "update %s set version = ?, ttl_us = ?, presence = ?, seen_at_us = %s where namespace = ? and member_id = ?";
		if (session.update(update.formatted(this.table, this.now), parameters) == 0) {
			String insert = "insert into %s (version, ttl_us, presence, namespace, member_id, seen_at_us) values (?, ?, ?, ?, ?, %s)";
			session.update(insert.formatted(this.table, this.now), parameters);
		}
		this.written = self.text();
	}

	/** Return false if another member has deleted the row. */
	private boolean touch(JdbcSession session) throws SQLException {
		return session.update("update %s set seen_at_us = %s where namespace = ? and member_id = ? and version = ?"
			.formatted(this.table, this.now), this.identity.namespace(), this.identity.member(), this.version) == 1;
	}

	/**
	 * Return the rows of live members, and delete those of members that are gone for
	 * long.
	 */
	private List<Row> live(JdbcSession session) throws SQLException {
		List<Row> rows;
		try (PreparedStatement statement = session
			.prepare("select member_id, version, ttl_us, seen_at_us, %s as now_us from %s where namespace = ?"
				.formatted(this.now, this.table), this.identity.namespace())) {
			statement.setMaxRows(KnownMembers.MOST);
			rows = JdbcSession.read(statement, Row::of);
		}
		for (Row row : rows.stream().filter((row) -> row.isOlderThan(TTLS_UNTIL_FORGOTTEN)).toList()) {
			// A member that is back meanwhile has another time in its row.
			session.update(
					"delete from %s where namespace = ? and member_id = ? and seen_at_us = ?".formatted(this.table),
					this.identity.namespace(), row.member(), row.seenAt());
		}
		return rows.stream().filter((row) -> !row.isOlderThan(TTLS_UNTIL_DEAD)).toList();
	}

	/**
	 * Read the texts, except for those that are longer than those of members. A row that
	 * changes meanwhile is read again by the next call.
	 */
	private void read(JdbcSession session, List<KnownMembers.Entry> changed) throws SQLException {
		for (List<KnownMembers.Entry> chunk : Chunks.of(changed, CHUNK)) {
			Map<String, KnownMembers.Entry> byMember = new HashMap<>();
			List<String> parameters = new ArrayList<>(List.of(this.identity.namespace()));
			for (KnownMembers.Entry entry : chunk) {
				byMember.put(entry.member(), entry);
				parameters.add(entry.member());
			}
			String select = "select member_id, version, presence from %s where namespace = ? and member_id in %s and char_length(presence) <= %s"
				.formatted(this.table, JdbcSession.placeholders(chunk.size()), Presence.LONGEST_TEXT);
			for (Presence found : session.query(select,
					(row, number) -> new Presence(row.getString("member_id"), row.getString("presence")),
					parameters.toArray())) {
				KnownMembers.Entry entry = byMember.get(found.member());
				if (entry != null) {
					this.known.read(entry, found.text());
				}
			}
		}
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

		private static Row of(ResultSet row, int number) throws SQLException {
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
