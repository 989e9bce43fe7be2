package io.leaderstarter.sample.demo.server;

import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL that ends with this process, and leaves nothing behind.
 */
final class PostgresServer {

	private PostgresServer() {
	}

	public static void main(String[] args) throws Exception {
		EmbeddedPostgres server = EmbeddedPostgres.builder().setServerConfig("listen_addresses", "127.0.0.1").start();
		ServerLines.ready(
				Map.of("spring.datasource.url", "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(server.getPort()),
						"spring.datasource.username", "postgres"));
		ServerLines.serve();
	}

}
