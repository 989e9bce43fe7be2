package io.leaderstarter.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.leaderstarter.election.spi.Platform;
import org.springframework.core.io.ClassPathResource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * A table of the starter, and its creation.
 * <p>
 * Its script is in the jar, one per platform, and can be used unchanged by migration
 * tools. It is run here only if the table is missing, so that an application starts whose
 * user may not create tables if the table exists.
 *
 * @since 0.1.0
 */
public final class LeaderTable {

	/** The prefix of the table names in the scripts. */
	public static final String DEFAULT_PREFIX = "leader_";

	private static final Pattern PREFIX = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*");

	/** How often the table is probed while another member may be creating it. */
	private static final int PROBES = 10;

	private static final Duration BETWEEN_PROBES = Duration.ofMillis(200);

	private final String name;

	private final String prefix;

	private final List<String> columns;

	/**
	 * Create a new table.
	 * @param name the name without the prefix
	 * @param prefix the prefix of the names of all tables, maybe with a schema
	 * @param columns the required columns
	 */
	public LeaderTable(String name, String prefix, List<String> columns) {
		if (!PREFIX.matcher(prefix).matches()) {
			throw new IllegalArgumentException(
					"'%s' cannot be a table-prefix: it must be letters, digits and _, maybe after a schema and a dot"
						.formatted(prefix.replaceAll("\\p{Cntrl}", "?")));
		}
		this.name = name;
		this.prefix = prefix;
		this.columns = List.copyOf(columns);
	}

	/**
	 * Return the name of the table in SQL.
	 * @return the name with its prefix
	 */
	public String qualifiedName() {
		return this.prefix + this.name;
	}

	/**
	 * Return the location of the script for a platform on the class path.
	 * @param dialect the platform
	 * @return the location
	 */
	public String script(JdbcDialect dialect) {
		return "io/leaderstarter/jdbc/schema-%s-%s.sql".formatted(this.name, dialect.platform());
	}

	/**
	 * Make sure that the table is there and has the required columns.
	 * @param connection a connection in autocommit mode
	 * @param dialect the platform
	 * @param initialization whether to create it
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the table is missing or has the wrong columns
	 */
	public void require(Connection connection, JdbcDialect dialect, SchemaInitialization initialization)
			throws SQLException {
		SQLException missing = probe(connection, dialect);
		if (missing == null) {
			return;
		}
		if (initialization == SchemaInitialization.NEVER) {
			throw new LeaderSchemaException(
					"The table %s cannot be read: %s".formatted(qualifiedName(), missing.getMessage()),
					"Run the script '%s' from the jar of leader-autoconfigure, or set leader.schema.initialize=always. If the table is there, grant this application's user select, insert and update on it."
						.formatted(script(dialect)),
					missing, !SqlError.FORBIDDEN.is(missing) && !SqlError.isMissingOrForbidden(missing));
		}
		create(connection, dialect);
	}

	/**
	 * Make sure that this application's user has the rights that are needed besides that
	 * to read. They are tried by statements that change nothing.
	 * @param connection a connection in autocommit mode
	 * @param rights some of {@code insert}, {@code update} and {@code delete}
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if a right is missing; it names all that are
	 */
	public void requireRights(Connection connection, List<String> rights) throws SQLException {
		List<String> missing = new ArrayList<>();
		SQLException refused = null;
		for (String right : rights) {
			SQLException refusal = refusal(connection, withoutEffect(right));
			if (refusal != null) {
				missing.add(right);
				refused = refusal;
			}
		}
		if (refused != null) {
			throw new LeaderSchemaException(
					"This application's user may not %s in the table %s: %s".formatted(String.join(", ", missing),
							qualifiedName(), refused.getMessage()),
					"Grant this application's user select, %s on %s.".formatted(String.join(", ", rights),
							qualifiedName()),
					refused);
		}
	}

	private String withoutEffect(String right) {
		String all = String.join(", ", this.columns);
		String last = this.columns.get(this.columns.size() - 1);
		return switch (right) {
			case "insert" ->
				"insert into %1$s (%2$s) select %2$s from %1$s where 1 = 0".formatted(qualifiedName(), all);
			case "update" -> "update %1$s set %2$s = %2$s where 1 = 0".formatted(qualifiedName(), last);
			case "delete" -> "delete from %s where 1 = 0".formatted(qualifiedName());
			default -> throw new IllegalArgumentException("There is no right to " + right);
		};
	}

	private void create(Connection connection, JdbcDialect dialect) throws SQLException {
		ScriptException refused = null;
		try {
			String script = read(LeaderTable.class, "/" + script(dialect)).replace(DEFAULT_PREFIX, this.prefix);
			ScriptUtils.executeSqlScript(connection,
					new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8), script(dialect)));
		}
		catch (ScriptException ex) {
			// Several members that create one table at the same time get in each other's
			// way, even with "if not exists". One of them succeeds.
			refused = ex;
		}
		SQLException missing = probe(connection, dialect);
		for (int probe = 1; missing != null && refused != null && probe < PROBES; probe++) {
			Platform.SYSTEM.await(() -> false, BETWEEN_PROBES);
			missing = probe(connection, dialect);
		}
		if (missing != null) {
			Throwable cause = (refused != null) ? refused.getMostSpecificCause() : missing;
			requireUnderstood(dialect, cause);
			// Both failures are reported: the table may exist, but be invisible to this
			// user.
			throw new LeaderSchemaException("The table %s cannot be read (%s) and could not be created (%s)"
				.formatted(qualifiedName(), missing.getMessage(), cause.getMessage()),
					creation(dialect, missing, cause), cause);
		}
	}

	private String creation(JdbcDialect dialect, SQLException missing, Throwable cause) {
		int dot = this.prefix.indexOf('.');
		if (cause instanceof SQLException sql && SqlError.NO_SCHEMA.is(sql)) {
			return "Create the schema %s and let this application's user create tables there, or name another one in leader.schema.table-prefix."
				.formatted((dot > 0) ? this.prefix.substring(0, dot) : "that this application's connections use");
		}
		// With a prefix that has a schema, the user may lack the right to use the schema.
		if (dot < 0 && SqlError.FORBIDDEN.is(missing) && !SqlError.isMissingOrForbidden(missing)) {
			return "Let the owner of the table grant this application's user select, insert and update on %s. Its columns are in the script '%s' from the jar of leader-autoconfigure."
				.formatted(qualifiedName(), script(dialect));
		}
		return "Let somebody with the right to create tables run the script '%s' from the jar of leader-autoconfigure, and grant this application's user select, insert and update on the table."
			.formatted(script(dialect));
	}

	/**
	 * Refuse a database that does not know the types or the grammar of the script: more
	 * rights would not help.
	 */
	private void requireUnderstood(JdbcDialect dialect, Throwable cause) throws SQLException {
		if (dialect.isAssumed() && cause instanceof SQLException sql && SqlError.UNUSABLE.is(sql)
				&& !SqlError.FORBIDDEN.is(sql) && !SqlError.isMissingOrForbidden(sql)) {
			throw new SQLException("the table %s could not be created: %s".formatted(qualifiedName(), sql.getMessage()),
					sql);
		}
	}

	/**
	 * Return the failure of a read, {@code null} if the table can be read.
	 */
	private @Nullable SQLException probe(Connection connection, JdbcDialect dialect) throws SQLException {
		// Not every database has a separate state for a missing column, so the table is
		// read without columns first.
		String query = "select %s from %s where 1 = 0";
		SQLException missing = refusal(connection, query.formatted("1", qualifiedName()));
		if (missing != null) {
			return missing;
		}
		SQLException refused = refusal(connection, query.formatted(String.join(", ", this.columns), qualifiedName()));
		if (refused != null) {
			throw new LeaderSchemaException(
					"The table %s does not have the columns that this version needs: %s".formatted(qualifiedName(),
							refused.getMessage()),
					"Change its columns to those in the script '%s' from the jar of leader-autoconfigure. Keep its rows: the epochs in it must never decrease."
						.formatted(script(dialect)),
					refused);
		}
		return null;
	}

	/**
	 * Return the failure of a statement that cannot be used, {@code null} if it can.
	 */
	private static @Nullable SQLException refusal(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
			return null;
		}
		catch (SQLException ex) {
			if (SqlError.UNUSABLE.is(ex)) {
				return ex;
			}
			throw ex;
		}
	}

	/**
	 * Read a script.
	 * @param beside a class that is in the same folder
	 * @param name the name of the script
	 * @return the text
	 */
	public static String read(Class<?> beside, String name) {
		try {
			return new ClassPathResource(name, beside).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
