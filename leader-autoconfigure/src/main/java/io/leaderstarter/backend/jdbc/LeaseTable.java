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
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.SqlErrors;

/**
 * Reads and writes rows of leases, many at a time.
 */
final class LeaseTable {

	/** More roles than this need more than one statement. */
	private static final int CHUNK = 1000;

	/** An expiry that no observed lease has. */
	private static final long NO_MARK = -1;

	/** An epoch that no row has, nor the next one. */
	private static final long NO_EPOCH = -2;

	/** When a lease expires that was released or never granted. */
	private static final long RELEASED = 0;

	private final LeaseSql sql;

	private final StoreIdentity identity;

	private final long ttlMicros;

	LeaseTable(LeaseSql sql, StoreIdentity identity) {
		this.sql = sql;
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
			views.addAll(Statements.query(session, this.sql.observe(chunk.size()), (row, number) -> {
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

	Set<LeaseKey> acquire(JdbcSession session, List<LeaseRequest> requests) throws SQLException {
		if (requests.isEmpty()) {
			return Set.of();
		}
		// Some drivers run a batch as one transaction. In one order, two members do not
		// run into a deadlock.
		List<LeaseRequest> ordered = requests.stream().sorted(Comparator.comparing(LeaseRequest::role)).toList();
		try (PreparedStatement statement = session.prepare(this.sql.acquire())) {
			for (LeaseRequest request : ordered) {
				long seen = (request.observedMark() != null) ? request.observedMark() : RELEASED;
				Statements.bind(statement, this.identity.member(), request.termId(), this.ttlMicros, this.ttlMicros,
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
	 * Renew leases and return those that are held. The number of rows is not enough: a
	 * lost lease and an orphaned one would add up to the expected number.
	 */
	Set<LeaseKey> renew(JdbcSession session, Collection<LeaseKey> leases) throws SQLException {
		Set<LeaseKey> renewed = new HashSet<>();
		for (List<LeaseKey> chunk : Chunks.of(leases, CHUNK)) {
			String renewal = this.sql.renew(chunk.size());
			Object[] parameters = parameters(chunk, this.ttlMicros, this.ttlMicros);
			if (this.sql.renewReturns()) {
				renewed.addAll(Statements.query(session, renewal, LeaseTable::key, parameters));
			}
			else {
				Statements.update(session, renewal, parameters);
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
			held.addAll(
					Statements.query(session, this.sql.held(chunk.size()), LeaseTable::key, parameters(chunk)));
		}
		held.retainAll(new HashSet<>(leases));
		return held;
	}

	void release(JdbcSession session, Collection<LeaseKey> leases) throws SQLException {
		for (List<LeaseKey> chunk : Chunks.of(leases, CHUNK)) {
			Statements.update(session, this.sql.release(chunk.size()), parameters(chunk));
		}
	}

	/**
	 * Insert rows for new roles. Another member may do the same at the same time, which
	 * does no harm.
	 */
	private void seed(JdbcSession session, List<String> roles) throws SQLException {
		try (PreparedStatement statement = session.prepare(this.sql.seed())) {
			for (String role : roles) {
				Statements.bind(statement, this.identity.namespace(), role, this.ttlMicros);
				statement.addBatch();
			}
			statement.executeBatch();
		}
		catch (SQLException ex) {
			if (!SqlErrors.isDuplicateKey(ex) && !SqlErrors.isConflict(ex)) {
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
