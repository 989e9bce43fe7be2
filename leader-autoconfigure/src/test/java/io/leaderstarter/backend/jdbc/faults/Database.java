package io.leaderstarter.backend.jdbc.faults;

import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.PostgresServer;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * What the tests of faults need to know of each database.
 */
enum Database {

	POSTGRESQL {

		@Override
		DriverManagerDataSource create() {
			return PostgresServer.newDatabase();
		}

		@Override
		int port() {
			return PostgresServer.port();
		}

		@Override
		DriverManagerDataSource through(DriverManagerDataSource database, int port) {
			return PostgresServer.through(database, port);
		}

		@Override
		String lockTable() {
			return "begin; alter table leader_lease add column x int";
		}

		@Override
		String unlockTable() {
			return "rollback";
		}

		@Override
		String waitingSessions() {
			return "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
		}

		@Override
		void makeReadOnly(DriverManagerDataSource database, boolean readOnly) {
			SingleConnectionDataSource admin = new SingleConnectionDataSource(database.getUrl(), true);
			try {
				JdbcTemplate jdbc = new JdbcTemplate(admin);
				jdbc.execute("set default_transaction_read_only = off");
				String name = jdbc.queryForObject("select current_database()", String.class);
				jdbc.execute("alter database %s set default_transaction_read_only = %s".formatted(name,
						readOnly ? "on" : "off"));
				jdbc.queryForList("select pg_terminate_backend(pid) from pg_stat_activity "
						+ "where datname = current_database() and pid <> pg_backend_pid()");
			}
			finally {
				admin.destroy();
			}
		}

	},

	MARIADB {

		@Override
		DriverManagerDataSource create() {
			return MariaDbServer.newDatabase();
		}

		@Override
		int port() {
			return MariaDbServer.port();
		}

		@Override
		DriverManagerDataSource through(DriverManagerDataSource database, int port) {
			return MariaDbServer.through(database, port);
		}

		@Override
		String lockTable() {
			return "lock tables leader_lease write";
		}

		@Override
		String unlockTable() {
			return "unlock tables";
		}

		@Override
		String waitingSessions() {
			return "select count(*) from information_schema.processlist where db = database() and state like '%lock%'";
		}

		@Override
		void makeReadOnly(DriverManagerDataSource database, boolean readOnly) {
			JdbcTemplate jdbc = new JdbcTemplate(database);
			// Of the whole server: whoever uses this has to undo it. Everybody here has
			// all rights, so only what asks for it notices.
			jdbc.execute("set global read_only = " + (readOnly ? 1 : 0));
			jdbc.queryForList(
					"select id from information_schema.processlist where db = database() and id <> connection_id()",
					Long.class)
				.forEach((session) -> jdbc.execute("kill " + session));
		}

	};

	/** Makes an empty database. */
	abstract DriverManagerDataSource create();

	abstract int port();

	/** The same database by way of another port. */
	abstract DriverManagerDataSource through(DriverManagerDataSource database, int port);

	/** SQL that keeps everybody else from the lease table. */
	abstract String lockTable();

	abstract String unlockTable();

	/** SQL that counts the sessions that wait for a lock. */
	abstract String waitingSessions();

	/** Makes the database refuse to write, and ends its sessions, as a failover does. */
	abstract void makeReadOnly(DriverManagerDataSource database, boolean readOnly);

}
