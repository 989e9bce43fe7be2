package io.leaderstarter.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;

import io.leaderstarter.backend.support.Chunks;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.SqlError;

/**
 * Reads and writes rows of leases, many at a time. Each statement runs in autocommit
 * mode.
 */
final class LeaseTable {

	static final List<String> COLUMNS = List.of("namespace", "role", "epoch", "holder", "term_id", "acquired_at_us",
			"expires_at_us", "ttl_us");

	/** More roles than this need more than one statement. */
	private static final int CHUNK = 1000;

	/** An expiry that no observed lease has. */
	private static final long NO_MARK = -1;

	/** An epoch that no row has, nor the next one. */
	private static final long NO_EPOCH = -2;

	/** When a lease expires that was released or never granted. */
	private static final long RELEASED = 0;

	private final String table;

	/** The clock of the database in SQL. */
	private final String now;

	private final boolean updateReturns;

	private final StoreIdentity identity;

	private final long ttlMicros;

	LeaseTable(String table, JdbcDialect dialect, StoreIdentity identity) {
		this.table = table;
		this.now = dialect.nowMicros();
		this.updateReturns = dialect.updateReturns();
		this.identity = identity;
		this.ttlMicros = identity.ttl().toNanos() / 1000;
	}

	/**
	 * Read rows, and insert those that are missing.
	 * @param now called with the clock of the database for every row
	 */
	List<LeaseView> observe(JdbcSession session, Collection<String> roles, LongConsumer now) throws SQLException {
		List<LeaseView> views = new ArrayList<>();
		// In one order, as in acquire().
		Set<String> unknown = new TreeSet<>(roles);
		for (List<String> chunk : Chunks.of(roles, CHUNK)) {
			List<String> parameters = new ArrayList<>(List.of(this.identity.namespace()));
			parameters.addAll(chunk);
			String select = "select role, epoch, holder, term_id, expires_at_us, ttl_us, %s as now_us from %s where namespace = ? and role in %s"
				.formatted(this.now, this.table, JdbcSession.placeholders(chunk.size()));
			views.addAll(session.query(select, (row, number) -> {
				now.accept(row.getLong("now_us"));
				return view(row);
			}, parameters.toArray()));
		}
		views.forEach((view) -> unknown.remove(view.role()));
		for (List<String> chunk : Chunks.of(unknown, CHUNK)) {
			seed(session, chunk);
		}
		unknown.forEach((role) -> views.add(new LeaseView(role, 0, null)));
		return views;
	}

	/**
	 * Take roles that have not changed since they were observed. A late request finds
	 * another epoch. If the lease was renewed since, it finds another expiry, even if the
	 * clock was set back and forth and the lease has expired again. The holder does not
	 * matter: a lease whose holder was removed by hand may still be relied on, and a
	 * released one has an expiry of zero.
	 */
	Set<LeaseKey> acquire(JdbcSession session, List<LeaseRequest> requests) throws SQLException {
		if (requests.isEmpty()) {
			return Set.of();
		}
		// Some drivers run a batch as one transaction. In one order, two members do not
		// run into a deadlock.
		List<LeaseRequest> ordered = requests.stream().sorted(Comparator.comparing(LeaseRequest::role)).toList();
		String update = ("update %s set epoch = epoch + 1, holder = ?, term_id = ?, acquired_at_us = %s, expires_at_us = %s + ?, ttl_us = ? "
				+ "where namespace = ? and role = ? and epoch = ? and expires_at_us = ? and (expires_at_us <= %s or expires_at_us = ?)")
			.formatted(this.table, this.now, this.now, this.now);
		try (PreparedStatement statement = session.prepare(update)) {
			for (LeaseRequest request : ordered) {
				long seen = (request.observedMark() != null) ? request.observedMark() : RELEASED;
				JdbcSession.bind(statement, this.identity.member(), request.termId(), this.ttlMicros, this.ttlMicros,
						this.identity.namespace(), request.role(), request.observedEpoch(), seen,
						request.over() ? seen : NO_MARK);
				statement.addBatch();
			}
			return granted(session, ordered, statement.executeBatch());
		}
	}

	/**
	 * Take and free a role that cannot exist, which changes nothing. The first execution
	 * takes the JVM and the database tens of milliseconds, for which the first hand-over
	 * would have to wait.
	 */
	void rehearse(JdbcSession session) throws SQLException {
		LeaseRequest nothing = new LeaseRequest("", NO_EPOCH, "", null, false);
		acquire(session, List.of(nothing));
		release(session, List.of(nothing.key()));
	}

	private Set<LeaseKey> granted(JdbcSession session, List<LeaseRequest> requests, int[] counts) throws SQLException {
		Set<LeaseKey> granted = new LinkedHashSet<>();
		List<LeaseKey> uncounted = new ArrayList<>();
		for (int i = 0; i < counts.length; i++) {
			if (counts[i] == 1) {
				granted.add(requests.get(i).key());
			}
			else if (counts[i] == Statement.SUCCESS_NO_INFO) {
				// MariaDB's driver sends batches in bulk and does not count.
				uncounted.add(requests.get(i).key());
			}
		}
		granted.addAll(held(session, uncounted));
		return granted;
	}

	/**
	 * Renew leases that have not expired, and return those that are held. The number of
	 * rows is not enough: a lost lease and an orphaned one would add up to the expected
	 * number.
	 * <p>
	 * The ttl is a parameter and not that of the row: the member relies on its own, even
	 * if the row was changed by hand.
	 */
	Set<LeaseKey> renew(JdbcSession session, Collection<LeaseKey> leases) throws SQLException {
		Set<LeaseKey> renewed = new HashSet<>();
		for (List<LeaseKey> chunk : Chunks.of(leases, CHUNK)) {
			String update = "update %s set expires_at_us = %s + ?, ttl_us = ? where %s and expires_at_us > %s"
				.formatted(this.table, this.now, heldByMe(chunk.size()), this.now);
			Object[] parameters = parameters(chunk, this.ttlMicros, this.ttlMicros);
			if (this.updateReturns) {
				renewed.addAll(session.query(update + " returning role, epoch, term_id", LeaseTable::key, parameters));
			}
			else {
				session.update(update, parameters);
				renewed.addAll(held(session, chunk));
			}
		}
		renewed.retainAll(new HashSet<>(leases));
		return renewed;
	}

	/** Which of the leases have not run out. */
	private Set<LeaseKey> held(JdbcSession session, List<LeaseKey> leases) throws SQLException {
		Set<LeaseKey> held = new HashSet<>();
		for (List<LeaseKey> chunk : Chunks.of(leases, CHUNK)) {
			String select = "select role, epoch, term_id from %s where %s and expires_at_us > %s".formatted(this.table,
					heldByMe(chunk.size()), this.now);
			held.addAll(session.query(select, LeaseTable::key, parameters(chunk)));
		}
		held.retainAll(new HashSet<>(leases));
		return held;
	}

	/** Free leases and keep their epochs. */
	void release(JdbcSession session, Collection<LeaseKey> leases) throws SQLException {
		for (List<LeaseKey> chunk : Chunks.of(leases, CHUNK)) {
			session.update("update %s set holder = null, term_id = null, expires_at_us = 0 where %s"
				.formatted(this.table, heldByMe(chunk.size())), parameters(chunk));
		}
	}

	/**
	 * Insert rows for new roles. Another member may do the same at the same time, which
	 * does no harm.
	 */
	private void seed(JdbcSession session, List<String> roles) throws SQLException {
		try (PreparedStatement statement = session.prepare(
				"insert into %s (namespace, role, epoch, acquired_at_us, expires_at_us, ttl_us) values (?, ?, 0, 0, 0, ?)"
					.formatted(this.table))) {
			for (String role : roles) {
				JdbcSession.bind(statement, this.identity.namespace(), role, this.ttlMicros);
				statement.addBatch();
			}
			statement.executeBatch();
		}
		catch (SQLException ex) {
			if (!SqlError.DUPLICATE_KEY.is(ex) && !SqlError.CONFLICT.is(ex)) {
				throw ex;
			}
			if (roles.size() > 1) {
				// Some rows exist, and the batch does not return which.
				for (String role : roles) {
					seed(session, List.of(role));
				}
			}
		}
	}

	/**
	 * A term id is never used for two terms, so three lists find the same rows as a list
	 * of triples, for which not every database uses an index.
	 */
	private static String heldByMe(int leases) {
		return "namespace = ? and holder = ? and role in %1$s and term_id in %1$s and epoch in %1$s"
			.formatted(JdbcSession.placeholders(leases));
	}

	/** Return these parameters and those of {@link #heldByMe(int)}. */
	private Object[] parameters(List<LeaseKey> leases, Object... first) {
		List<Object> parameters = new ArrayList<>(List.of(first));
		parameters.add(this.identity.namespace());
		parameters.add(this.identity.member());
		leases.forEach((lease) -> parameters.add(lease.role()));
		leases.forEach((lease) -> parameters.add(lease.termId()));
		leases.forEach((lease) -> parameters.add(lease.epoch()));
		return parameters.toArray();
	}

	private static LeaseKey key(ResultSet row, int number) throws SQLException {
		return new LeaseKey(row.getString("role"), row.getLong("epoch"), row.getString("term_id"));
	}

	private static LeaseView view(ResultSet row) throws SQLException {
		String role = row.getString("role");
		long epoch = row.getLong("epoch");
		String holder = row.getString("holder");
		String termId = row.getString("term_id");
		long expires = row.getLong("expires_at_us");
		if (holder == null && expires == RELEASED) {
			return new LeaseView(role, epoch, null);
		}
		// As durations, as the values of a row may overflow.
		Duration remaining = Duration.of(expires, ChronoUnit.MICROS)
			.minus(Duration.of(row.getLong("now_us"), ChronoUnit.MICROS));
		Duration ttl = Duration.of(row.getLong("ttl_us"), ChronoUnit.MICROS);
		return new LeaseView(role, epoch, new LeaseView.Owner((holder != null) ? holder : "",
				(termId != null) ? termId : "", new LeaseView.Expiry(expires, remaining, ttl)));
	}

}
