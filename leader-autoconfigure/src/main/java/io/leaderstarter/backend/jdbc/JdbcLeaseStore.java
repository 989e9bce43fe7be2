package io.leaderstarter.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.jdbc.DedicatedConnection;

/**
 * Keeps leases as rows. Only the database's clock is used, and every statement runs alone
 * on a connection of our own.
 */
final class JdbcLeaseStore implements LeaseStore {

	/** More roles than this need more than one statement. */
	private static final int CHUNK = 1000;

	/** No lease expires then; one that does has run out by any clock. */
	private static final long NO_MARK = -1;

	private final DedicatedConnection connection;

	private final JdbcLeaseSchema schema;

	private final StoreIdentity identity;

	private final Duration pollInterval;

	JdbcLeaseStore(DedicatedConnection connection, JdbcLeaseSchema schema, StoreIdentity identity,
			Duration pollInterval) {
		this.connection = connection;
		this.schema = schema;
		this.identity = identity;
		this.pollInterval = pollInterval;
	}

	@Override
	public String name() {
		return JdbcLeaseStoreFactory.NAME;
	}

	@Override
	public void prepare() {
		this.schema.prepare(this.connection);
	}

	@Override
	public Duration pollInterval() {
		return this.pollInterval;
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		return execute("look at leases", attempt, (jdbc, timeout) -> {
			List<LeaseView> views = new ArrayList<>();
			Set<String> unknown = new LinkedHashSet<>(roles);
			for (List<String> chunk : chunks(List.copyOf(roles))) {
				try (PreparedStatement statement = prepare(jdbc, sql().observe(chunk.size()), timeout)) {
					bind(statement, 1, this.identity.namespace());
					bindAll(statement, 2, chunk);
					try (ResultSet rows = statement.executeQuery()) {
						while (rows.next()) {
							LeaseView view = view(rows);
							views.add(view);
							unknown.remove(view.role());
						}
					}
				}
			}
			seed(jdbc, unknown, timeout);
			unknown.forEach((role) -> views.add(new LeaseView(role, 0, null)));
			return views;
		});
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		// Some drivers run a batch as one transaction. In one order, two members cannot
		// wait for each other.
		List<LeaseRequest> ordered = requests.stream().sorted(Comparator.comparing(LeaseRequest::role)).toList();
		return execute("acquire leases", attempt, (jdbc, timeout) -> {
			try (PreparedStatement statement = prepare(jdbc, sql().acquire(), timeout)) {
				for (LeaseRequest request : ordered) {
					statement.setString(1, this.identity.member());
					statement.setString(2, request.tenure());
					statement.setLong(3, ttlMicros());
					statement.setLong(4, ttlMicros());
					statement.setString(5, this.identity.namespace());
					statement.setString(6, request.role());
					statement.setLong(7, request.observedEpoch());
					statement.setLong(8, (request.unrenewedMark() != null) ? request.unrenewedMark() : NO_MARK);
					statement.addBatch();
				}
				int[] counts = statement.executeBatch();
				Set<LeaseKey> granted = new LinkedHashSet<>();
				for (int i = 0; i < counts.length; i++) {
					if (counts[i] == 1) {
						granted.add(ordered.get(i).key());
					}
				}
				return granted;
			}
			catch (SQLException ex) {
				if (isConflict(ex)) {
					// Somebody else was quicker. Whatever we got of a batch all the same
					// is
					// found by the next look.
					return Set.of();
				}
				throw ex;
			}
		});
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return execute("renew leases", attempt, (jdbc, timeout) -> {
			Set<LeaseKey> renewed = new HashSet<>();
			for (List<LeaseKey> chunk : chunks(List.copyOf(leases))) {
				try (PreparedStatement statement = prepare(jdbc, sql().renew(chunk.size()), timeout)) {
					bindLeases(statement, chunk);
					if (sql().renewTells()) {
						readKeys(statement, renewed);
						continue;
					}
					statement.executeUpdate();
				}
				// Never judged by the number of rows: one lost and one that should not be
				// ours look like the right number.
				try (PreparedStatement statement = prepare(jdbc, sql().held(chunk.size()), timeout)) {
					bindLeases(statement, chunk);
					readKeys(statement, renewed);
				}
			}
			renewed.retainAll(leases);
			return new Renewal(renewed, attempt.sentAt());
		});
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		execute("release leases", attempt, (jdbc, timeout) -> {
			for (List<LeaseKey> chunk : chunks(List.copyOf(leases))) {
				try (PreparedStatement statement = prepare(jdbc, sql().release(chunk.size()), timeout)) {
					bindLeases(statement, chunk);
					statement.executeUpdate();
				}
			}
			return true;
		});
	}

	@Override
	public void close() {
		this.connection.close();
	}

	private <T> T execute(String what, Attempt attempt, DedicatedConnection.Work<T> work) {
		try {
			return this.connection.execute(attempt.timeout(), work);
		}
		catch (SQLException ex) {
			throw new StoreException("The database could not %s: %s".formatted(what, ex.getMessage()), ex);
		}
	}

	/**
	 * Makes rows for roles that are new. Somebody else may do the same; then the row is
	 * there, which is all that is wanted.
	 */
	private void seed(Connection jdbc, Set<String> roles, Duration timeout) throws SQLException {
		for (String role : roles) {
			try (PreparedStatement statement = prepare(jdbc, sql().seed(), timeout)) {
				statement.setString(1, this.identity.namespace());
				statement.setString(2, role);
				statement.setLong(3, ttlMicros());
				statement.executeUpdate();
			}
			catch (SQLException ex) {
				if (!isState(ex, "23")) {
					throw ex;
				}
			}
		}
	}

	private static LeaseView view(ResultSet row) throws SQLException {
		String role = row.getString("role");
		long epoch = row.getLong("epoch");
		String holder = row.getString("holder");
		String tenure = row.getString("tenure");
		if (holder == null) {
			return new LeaseView(role, epoch, null);
		}
		long expires = row.getLong("expires_at_us");
		// Durations do not overflow here, and a row can hold anything.
		Duration remaining = Duration.of(expires, ChronoUnit.MICROS)
			.minus(Duration.of(row.getLong("now_us"), ChronoUnit.MICROS));
		Duration ttl = Duration.of(row.getLong("ttl_us"), ChronoUnit.MICROS);
		return new LeaseView(role, epoch, new LeaseView.Owner(holder, (tenure != null) ? tenure : "",
				new LeaseView.Expiry(expires, remaining, ttl)));
	}

	private static void readKeys(PreparedStatement statement, Set<LeaseKey> keys) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				keys.add(new LeaseKey(rows.getString("role"), rows.getLong("epoch"), rows.getString("tenure")));
			}
		}
	}

	private void bindLeases(PreparedStatement statement, List<LeaseKey> leases) throws SQLException {
		bind(statement, 1, this.identity.namespace());
		bind(statement, 2, this.identity.member());
		bindAll(statement, 3, leases.stream().map(LeaseKey::role).toList());
		bindAll(statement, 3 + leases.size(), leases.stream().map(LeaseKey::tenure).toList());
	}

	private static void bindAll(PreparedStatement statement, int first, List<String> values) throws SQLException {
		for (int i = 0; i < values.size(); i++) {
			bind(statement, first + i, values.get(i));
		}
	}

	private static void bind(PreparedStatement statement, int index, String value) throws SQLException {
		statement.setString(index, value);
	}

	private static PreparedStatement prepare(Connection jdbc, String sql, Duration timeout) throws SQLException {
		PreparedStatement statement = jdbc.prepareStatement(sql);
		// The driver's own time-out ends the statement in the server as well. It knows
		// only
		// seconds; the connection's time-out is the exact one.
		statement.setQueryTimeout((int) Math.max(1, timeout.plusMillis(999).toSeconds()));
		return statement;
	}

	private static <T> List<List<T>> chunks(List<T> all) {
		List<List<T>> chunks = new ArrayList<>();
		for (int from = 0; from < all.size(); from += CHUNK) {
			chunks.add(all.subList(from, Math.min(all.size(), from + CHUNK)));
		}
		return chunks;
	}

	private static boolean isConflict(SQLException ex) {
		return isState(ex, "40");
	}

	private static boolean isState(SQLException ex, String stateClass) {
		return ex.getSQLState() != null && ex.getSQLState().startsWith(stateClass);
	}

	private LeaseSql sql() {
		return this.schema.sql();
	}

	private long ttlMicros() {
		return this.identity.ttl().toNanos() / 1000;
	}

}
