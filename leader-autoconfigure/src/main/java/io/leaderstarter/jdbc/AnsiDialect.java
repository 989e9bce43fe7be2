package io.leaderstarter.jdbc;

/**
 * Any other database, with what the SQL and JDBC standards offer. The start of the
 * application verifies that its clock can be read like this.
 */
final class AnsiDialect implements JdbcDialect {

	@Override
	public String platform() {
		return "ansi";
	}

	@Override
	public String nowMicros() {
		// With a zone, as the difference would otherwise be that of local times, and jump
		// with daylight saving.
		return "cast({fn timestampdiff(SQL_TSI_FRAC_SECOND, "
				+ "timestamp '1970-01-01 00:00:00+00:00', current_timestamp)} / 1000 as bigint)";
	}

	/** HSQLDB, with negative codes, has one state for missing tables and privileges. */
	@Override
	public String standardState(String state, int code) {
		return (state.equals("42501") && code < 0) ? "42S02" : state;
	}

	@Override
	public boolean isAssumed() {
		return true;
	}

}
