package io.leaderstarter.testsupport;

import java.util.function.Supplier;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Kinds of databases, for tests that must hold on each.
 */
public enum TestDatabase {

	POSTGRESQL(PostgresServer::newDatabase),

	MARIADB(MariaDbServer::newDatabase),

	H2(MemoryDatabases::newH2);

	private final Supplier<DriverManagerDataSource> maker;

	TestDatabase(Supplier<DriverManagerDataSource> maker) {
		this.maker = maker;
	}

	/** An empty database that no other test knows. */
	public DriverManagerDataSource make() {
		return this.maker.get();
	}

}
