package io.leaderstarter.testsupport;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A MariaDB server that belongs to one test. Its programs are those of
 * {@link MariaDbServer}; unlike that one it knows users, and applications are one that
 * has no rights beyond its database. So a server that is read-only refuses them, which it
 * does not refuse its administrators.
 */
public final class OwnMariaDb extends OwnServer {

	private final Path programs;

	/** Starts a server. */
	public OwnMariaDb() {
		this(null);
	}

	/**
	 * Starts a server whose clock can be turned.
	 * @param clock turns it
	 */
	public OwnMariaDb(FakeClock clock) {
		super("MariaDB", (clock != null) ? clock.environmentOfThreads() : Map.of());
		this.programs = MariaDbServer.programs();
		create(List.of(this.programs.resolve("scripts/mariadb-install-db").toString(), "--no-defaults",
				"--basedir=" + this.programs, "--datadir=" + data(), "--user=" + System.getProperty("user.name"),
				"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve", "--force"));
		JdbcTemplate jdbc = new JdbcTemplate(owner());
		jdbc.execute("create database app");
		jdbc.execute("create user app@127.0.0.1");
		jdbc.execute("grant all on app.* to app@127.0.0.1");
	}

	@Override
	public DriverManagerDataSource through(int port) {
		return new DriverManagerDataSource("jdbc:mariadb://127.0.0.1:%d/app?user=app".formatted(port));
	}

	@Override
	DriverManagerDataSource owner() {
		return new DriverManagerDataSource("jdbc:mariadb://127.0.0.1:%d/?user=root".formatted(port()));
	}

	@Override
	List<String> command() {
		return List.of(this.programs.resolve("bin/mariadbd").toString(), "--no-defaults", "--basedir=" + this.programs,
				"--datadir=" + data(), "--user=" + System.getProperty("user.name"), "--bind-address=127.0.0.1",
				"--port=" + port(),
				// Relative to the data. The whole path could be too long for a socket.
				"--socket=socket",
				// It would make keys at every start, which takes seconds.
				"--skip-ssl", "--skip-name-resolve", "--innodb-buffer-pool-size=16M");
	}

	/** Sessions that are open stay so, and are refused from now on. */
	@Override
	public void refuseWrites(boolean refuse) {
		new JdbcTemplate(owner()).execute("set global read_only = " + (refuse ? 1 : 0));
	}

	/** It replicates nothing; to applications a replica is a server that is read-only. */
	@Override
	public void restartAsReplica() {
		kill();
		start(List.of("--read-only"));
	}

	@Override
	public void promote() {
		refuseWrites(false);
	}

}
