package io.leaderstarter.sample.demo.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import org.h2.tools.Server;

/**
 * A database of H2 in a file. It ends when nobody has been connected for a while.
 */
final class H2FileServer {

	static final String URL = "spring.datasource.url";

	/** A node needs some time until it connects. */
	private static final int FIRST_COMES_WITHIN_SECONDS = 120;

	private static final int ALONE_SECONDS = 5;

	private H2FileServer() {
	}

	public static void main(String[] args) throws Exception {
		try (Connection connection = DriverManager.getConnection("jdbc:h2:file:" + args[0], "sa", "")) {
			Server server = Server.createTcpServer("-tcpPort", "0").start();
			ServerLines
				.ready(Map.of(URL, "jdbc:h2:tcp://127.0.0.1:%d/%s;USER=sa".formatted(server.getPort(), args[0])));
			try {
				int left = FIRST_COMES_WITHIN_SECONDS;
				while (left > 0) {
					Thread.sleep(1000);
					left = isAlone(connection) ? left - 1 : ALONE_SECONDS;
				}
			}
			finally {
				// Its threads would keep this process.
				server.stop();
			}
		}
	}

	private static boolean isAlone(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("select count(*) from information_schema.sessions")) {
			return rows.next() && rows.getInt(1) <= 1;
		}
	}

}
