package io.leaderstarter.backend.jdbc.faults;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.testsupport.FakeClock;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.OwnMariaDb;
import io.leaderstarter.testsupport.OwnPostgres;
import io.leaderstarter.testsupport.OwnServer;
import io.leaderstarter.testsupport.PostgresServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

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
		OwnServer ownServer() {
			return new OwnPostgres();
		}

		@Override
		OwnServer ownServer(FakeClock clock) {
			return new OwnPostgres(clock);
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
		OwnServer ownServer() {
			return new OwnMariaDb();
		}

		@Override
		OwnServer ownServer(FakeClock clock) {
			return new OwnMariaDb(clock);
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

	/** SQL for the time by the server's clock, in microseconds since 1970. */
	String nowMicros() {
		return JdbcDialects.of(name()).nowMicros();
	}

	/** Start a server that the test may break. */
	abstract OwnServer ownServer();

	/** Start a server that the test may break, and whose clock it can turn. */
	abstract OwnServer ownServer(FakeClock clock);

}
