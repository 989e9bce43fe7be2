package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in one database, for each role, the highest epoch that may write there.
 * <p>
 * A term begins only after its epoch was raised here. From then on no transaction of an
 * earlier term commits: each checks the row before it commits, under a lock that the
 * raise waits for. No clock is trusted for this.
 *
 * @since 0.1.0
 */
public final class Fence implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final String name;

	private final DataSource dataSource;

	private final FenceSettings settings;

	private final LeaderTable table;

	private final DedicatedConnection connection;

	private volatile @Nullable JdbcDialect dialect;

	/**
	 * Makes the fence of a database.
	 * @param name what people know the database by
	 * @param dataSource where the application's transactions get their connections
	 * @param own where a connection of our own comes from, so that a raise never waits
	 * for the application's pool
	 * @param settings how fences are kept
	 */
	public Fence(String name, DataSource dataSource, DataSource own, FenceSettings settings) {
		this.name = name;
		this.dataSource = dataSource;
		this.settings = settings;
		this.table = new LeaderTable("fence", settings.tablePrefix(), FenceSql.COLUMNS, "leader.fence");
		this.connection = new DedicatedConnection(own);
	}

	/**
	 * Returns what people know the database by.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Makes sure that the table is there.
	 */
	synchronized void prepare() {
		try {
			JdbcDialect detected = this.connection.execute(PATIENCE,
					(session) -> JdbcDialects.detect(session.connection(), this.settings.platform()));
			this.connection.execute(PATIENCE, (session) -> refuseReadOnly(session, detected));
			this.connection.execute(PATIENCE, (session) -> {
				this.table.require(session.connection(), detected, this.settings.initializeSchema());
				return true;
			});
			this.dialect = detected;
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be used: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	private static boolean refuseReadOnly(JdbcSession session, JdbcDialect dialect) throws SQLException {
		String query = dialect.readOnlyQuery();
		if (query != null) {
			try (Statement statement = session.createStatement(); ResultSet result = statement.executeQuery(query)) {
				if (result.next() && result.getBoolean(1)) {
					throw new SQLException("it is read-only, perhaps a replica, so nothing can be fenced there",
							"25006");
				}
			}
		}
		return true;
	}

	/**
	 * Reads fences, those that were never raised left out.
	 */
	synchronized Map<String, FenceRow> read(Collection<String> roles) {
		if (roles.isEmpty()) {
			return Map.of();
		}
		try {
			return this.connection.execute(this.settings.raiseTimeout(), (session) -> {
				Map<String, FenceRow> rows = new HashMap<>();
				try (PreparedStatement statement = session.prepare(sql().read(roles.size()))) {
					statement.setString(1, this.settings.namespace());
					int index = 2;
					for (String role : roles) {
						statement.setString(index++, role);
					}
					try (ResultSet result = statement.executeQuery()) {
						while (result.next()) {
							FenceRow row = new FenceRow(result.getString("role"), result.getLong("epoch"),
									result.getString("tenure"), result.getString("authority"));
							rows.put(row.role(), row);
						}
					}
				}
				return rows;
			});
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be read: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/**
	 * Raises the fence for a term. Waits for transactions of earlier terms that have
	 * passed their check; that is what it is for.
	 */
	synchronized void raise(Leadership leadership, String authority) {
		try {
			if (raised(leadership, authority)) {
				return;
			}
			FenceRow row = read(List.of(leadership.role())).get(leadership.role());
			if (row == null) {
				seed(leadership.role(), authority);
				if (raised(leadership, authority)) {
					return;
				}
				row = read(List.of(leadership.role())).get(leadership.role());
			}
			if (row == null || !row.isRaisedFor(leadership)) {
				throw new EpochRegressionException(explain(leadership, authority, row));
			}
		}
		catch (SQLException ex) {
			throw new FenceException("The fence in '%s' cannot be raised for %s: %s. %s".formatted(this.name,
					leadership, ex.getMessage(), holdUps()), ex);
		}
	}

	/**
	 * Checks on the connection of a transaction that a term may still commit, and keeps
	 * any later term from beginning until the transaction has ended.
	 * @throws StaleLeaderException if the term is over
	 */
	void check(Connection transaction, ActiveTerm term) throws SQLException {
		Leadership leadership = term.leadership();
		// What is over by our own clock does not even ask. So a deposed member that is
		// awake does not hold up its successor's raise.
		if (!term.isValid()) {
			throw new StaleLeaderException(leadership);
		}
		try (PreparedStatement statement = transaction.prepareStatement(sql().check())) {
			statement.setString(1, this.settings.namespace());
			statement.setString(2, leadership.role());
			try (ResultSet result = statement.executeQuery()) {
				if (!result.next() || result.getLong(1) != leadership.epoch()
						|| !leadership.tenure().equals(result.getString(2))) {
					throw new StaleLeaderException(leadership);
				}
			}
		}
	}

	/**
	 * Returns a statement that does what {@link #check} does, but fails in the server if
	 * the term is over, with a message that {@link #isRefusal} knows.
	 * @return SQL, {@code null} if it has to be {@link #check}
	 * @throws StaleLeaderException if the term is over by our own clock
	 */
	@Nullable String demand(ActiveTerm term) {
		if (!term.isValid()) {
			throw new StaleLeaderException(term.leadership());
		}
		return sql().demand(this.settings.namespace(), term.leadership());
	}

	static boolean isRefusal(SQLException failure, ActiveTerm term) {
		String message = failure.getMessage();
		// A syntax error may show the whole statement, so the message is not enough.
		return "22P02".equals(failure.getSQLState()) && message != null
				&& message.contains(FenceSql.refusal(term.leadership()));
	}

	/**
	 * Returns whether a transaction on this connection cannot have written anything,
	 * because the database itself sees to that.
	 */
	boolean isReadOnly(Connection transaction) throws SQLException {
		String query = dialect().readOnlyTransactionQuery();
		if (query == null || !transaction.isReadOnly()) {
			return false;
		}
		try (Statement statement = transaction.createStatement(); ResultSet result = statement.executeQuery(query)) {
			return result.next() && result.getBoolean(1);
		}
	}

	@Override
	public synchronized void close() {
		this.connection.close();
	}

	/**
	 * Says which sessions may hold a raise up, where the database can tell.
	 */
	private String holdUps() {
		String query = dialect().lockHoldersQuery(this.table.qualifiedName());
		if (query == null) {
			return "If a transaction holds it up, end that transaction";
		}
		try {
			List<String> sessions = this.connection.execute(this.settings.raiseTimeout(), (session) -> {
				List<String> found = new ArrayList<>();
				try (PreparedStatement statement = session.prepare(query);
						ResultSet result = statement.executeQuery()) {
					while (result.next()) {
						found.add(result.getString(1));
					}
				}
				return found;
			});
			return sessions.isEmpty() ? "No session holds it up" : "Held up by " + String.join(", ", sessions);
		}
		catch (SQLException ex) {
			return "Who holds it up could not be found out: " + ex.getMessage();
		}
	}

	private boolean raised(Leadership leadership, String authority) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(), (session) -> {
			try (PreparedStatement statement = session.prepare(sql().raise())) {
				statement.setLong(1, leadership.epoch());
				statement.setString(2, leadership.tenure());
				statement.setString(3, this.settings.namespace());
				statement.setString(4, leadership.role());
				statement.setLong(5, leadership.epoch());
				statement.setString(6, authority);
				return statement.executeUpdate() == 1;
			}
		});
	}

	private void seed(String role, String authority) throws SQLException {
		try {
			this.connection.execute(this.settings.raiseTimeout(), (session) -> {
				try (PreparedStatement statement = session.prepare(sql().seed())) {
					statement.setString(1, this.settings.namespace());
					statement.setString(2, role);
					statement.setString(3, authority);
					return statement.executeUpdate();
				}
			});
		}
		catch (SQLException ex) {
			if (ex.getSQLState() == null || !ex.getSQLState().startsWith("23")) {
				throw ex;
			}
			// Another member was quicker; the row is there.
		}
	}

	private String explain(Leadership leadership, String authority, @Nullable FenceRow row) {
		if (row == null) {
			return "The fence in '%s' lost its row for '%s' while it was raised".formatted(this.name,
					leadership.role());
		}
		if (!row.authority().equals(authority)) {
			return "The fence in '%s' belongs to the election store %s, but this member elects in %s. Is the application pointed at the right store? If the store was replaced on purpose, see 'Epochs that go back' in docs/fencing.md"
				.formatted(this.name, row.authority(), authority);
		}
		return "The fence in '%s' has seen epoch %d of '%s', and this member was given %d by the store. If this member was paused, a later leader was quicker, and all is well. Otherwise the store lost data, as after a restored backup: see 'Epochs that go back' in docs/fencing.md"
			.formatted(this.name, row.epoch(), leadership.role(), leadership.epoch());
	}

	private FenceSql sql() {
		return new FenceSql(this.table.qualifiedName(), dialect(), this.settings.idleTimeout());
	}

	private JdbcDialect dialect() {
		JdbcDialect known = this.dialect;
		if (known == null) {
			throw new FenceException("The fence in '%s' was not prepared yet".formatted(this.name), null);
		}
		return known;
	}

}
