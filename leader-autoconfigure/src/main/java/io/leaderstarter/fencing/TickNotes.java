package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.time.Duration;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;

/**
 * Notes in a fenced database when methods began that run at most every so often. The
 * table is made only if there are such methods.
 */
final class TickNotes {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final String database;

	private final Duration timeout;

	private final DedicatedConnection connection;

	private final TickTable table;

	private boolean kept;

	private boolean prepared;

	/**
	 * Makes the notes, of which there are none.
	 * @param database what people know the database by
	 * @param settings how fences are kept
	 * @param connection used by one thread at a time, to which the caller sees
	 */
	TickNotes(String database, FenceSettings settings, DedicatedConnection connection) {
		this.database = database;
		this.timeout = settings.raiseTimeout();
		this.connection = connection;
		this.table = new TickTable(settings);
	}

	/** Says that there are methods to be noted. */
	void keep() {
		this.kept = true;
	}

	void prepareIfKept(JdbcDialect dialect) {
		if (this.kept) {
			try {
				prepare(dialect);
			}
			catch (SQLException ex) {
				throw FenceException.unusable("Last runs cannot be recorded in '%s'", this.database, dialect, ex);
			}
		}
	}

	private void prepare(JdbcDialect dialect) throws SQLException {
		if (!this.prepared) {
			this.prepared = this.connection.execute(PATIENCE, (session) -> this.table.prepare(session, dialect));
		}
	}

	/**
	 * Takes note that a task begins, unless it began too short a while ago.
	 * @param check what a note has to pass, in its transaction
	 */
	boolean begin(JdbcDialect dialect, ActiveTerm term, String task, Duration period, TickTable.Check check) {
		Leadership leadership = term.leadership();
		TickTable.Tick tick = new TickTable.Tick(leadership.role(), leadership.epoch(), task, period);
		try {
			prepare(dialect);
			return beginOrRetry(dialect, tick, check);
		}
		catch (SQLException ex) {
			throw new FenceException("Whether '%s' ran a short while ago cannot be asked of '%s': %s".formatted(task,
					this.database, ex.getMessage()), ex);
		}
	}

	/** First notes of two roles can be each other's victim in MySQL and MariaDB. */
	private boolean beginOrRetry(JdbcDialect dialect, TickTable.Tick tick, TickTable.Check check) throws SQLException {
		try {
			return begin(dialect, tick, check);
		}
		catch (SQLException ex) {
			if (ex.getSQLState() == null || !ex.getSQLState().startsWith("40")) {
				throw ex;
			}
			return begin(dialect, tick, check);
		}
	}

	private boolean begin(JdbcDialect dialect, TickTable.Tick tick, TickTable.Check check) throws SQLException {
		return this.connection.execute(this.timeout, (session) -> this.table.begin(session, dialect, tick, check));
	}

}
