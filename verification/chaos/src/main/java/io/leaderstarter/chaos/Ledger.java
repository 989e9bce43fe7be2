package io.leaderstarter.chaos;

import java.util.List;

import io.leaderstarter.chaos.app.Jobs;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What members write to, and what the database notes of that: each write of an account
 * takes the next serial number of its row, under the lock of the row, so these numbers
 * are the order of the commits.
 */
final class Ledger {

	private static final String ACCOUNT = "create table account (role varchar(20) primary key, amount bigint not null, "
			+ "serial bigint not null, epoch bigint not null, operation varchar(60))";

	private static final String ENTRY = "create table entry (role varchar(20) not null, serial bigint not null, "
			+ "amount bigint not null, epoch bigint not null, operation varchar(60) not null, "
			+ "primary key (role, serial))";

	private static final String NOTE = "insert into entry values "
			+ "(new.role, new.serial, new.amount, new.epoch, new.operation);";

	private final JdbcTemplate jdbc;

	Ledger(JdbcTemplate jdbc, Options.Database database) {
		this.jdbc = jdbc;
		jdbc.execute(ACCOUNT);
		jdbc.execute(ENTRY);
		Jobs.ROLES.forEach((role) -> jdbc.update("insert into account values (?, 0, 0, 0, null)", role));
		switch (database) {
			case POSTGRESQL -> {
				jdbc.execute("create function note() returns trigger language plpgsql as $$ begin "
						+ "new.serial := old.serial + 1; " + NOTE + " return new; end $$");
				jdbc.execute("create trigger note before update on account for each row execute function note()");
			}
			case MARIADB -> jdbc.execute("create trigger note before update on account for each row "
					+ "begin set new.serial = old.serial + 1; " + NOTE + " end");
		}
	}

	/** All that was committed, by role and in the order of the commits. */
	List<Entry> entries() {
		return this.jdbc.query("select role, serial, amount, epoch, operation from entry order by role, serial",
				(row, number) -> new Entry(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4),
						row.getString(5)));
	}

	/**
	 * A commit.
	 *
	 * @param role the role it was written under
	 * @param serial which commit of the role it is, from 1 on
	 * @param amount what was written, one more than what was read
	 * @param epoch the epoch it was written under
	 * @param operation the run of a job that wrote it
	 */
	record Entry(String role, long serial, long amount, long epoch, String operation) {
	}

}
