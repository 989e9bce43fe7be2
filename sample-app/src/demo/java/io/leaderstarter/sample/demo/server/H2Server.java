package io.leaderstarter.sample.demo.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;

import org.h2.tools.Server;

/**
 * A database of H2 in memory, for whoever on this machine has its address.
 */
final class H2Server {

	private H2Server() {
	}

	public static void main(String[] args) throws Exception {
		// Made from within, so that nobody outside may make databases. It is there for as
		// long as this connection is.
		try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:demo", "sa", "")) {
			connection.setReadOnly(true);
			Server server = Server.createTcpServer("-tcpPort", "0").start();
			ServerLines.ready(
					Map.of("spring.datasource.url", "jdbc:h2:tcp://127.0.0.1:%d/mem:demo".formatted(server.getPort()),
							"spring.datasource.username", "sa"));
			ServerLines.serve();
		}
	}

}
