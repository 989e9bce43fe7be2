package io.leaderstarter.backend.jdbc;

import java.util.Collections;
import java.util.List;

import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.jdbc.JdbcDialect;

/**
 * The statements on the table of the members. Each runs in autocommit mode.
 */
final class MemberSql {

	static final List<String> COLUMNS = List.of("namespace", "member_id", "version", "ttl_us", "seen_at_us",
			"presence");

	private final String table;

	private final String now;

	MemberSql(String table, JdbcDialect dialect) {
		this.table = table;
		this.now = dialect.nowMicros();
	}

	/** Parameters: namespace, member, version. */
	String touch() {
		return "update %s set seen_at_us = %s where namespace = ? and member_id = ? and version = ?"
			.formatted(this.table, this.now);
	}

	/** Parameters: version, ttl, presence, namespace, member. */
	String rewrite() {
		return "update %s set version = ?, ttl_us = ?, presence = ?, seen_at_us = %s where namespace = ? and member_id = ?"
			.formatted(this.table, this.now);
	}

	/** Parameters: version, ttl, presence, namespace, member. */
	String insert() {
		return "insert into %s (version, ttl_us, presence, namespace, member_id, seen_at_us) values (?, ?, ?, ?, ?, %s)"
			.formatted(this.table, this.now);
	}

	/** Parameters: namespace. */
	String list() {
		return "select member_id, version, ttl_us, seen_at_us, %s as now_us from %s where namespace = ?"
			.formatted(this.now, this.table);
	}

	/**
	 * Leave out texts that are longer than those of members. Parameters: namespace,
	 * members.
	 */
	String read(int members) {
		return "select member_id, version, presence from %s where namespace = ? and member_id in (%s) and char_length(presence) <= %d"
			.formatted(this.table, String.join(", ", Collections.nCopies(members, "?")), Presence.LONGEST_TEXT);
	}

	/** Parameters: namespace, member, when it was seen. */
	String forget() {
		return "delete from %s where namespace = ? and member_id = ? and seen_at_us = ?".formatted(this.table);
	}

	/** Parameters: namespace, member. */
	String withdraw() {
		return "delete from %s where namespace = ? and member_id = ?".formatted(this.table);
	}

}
