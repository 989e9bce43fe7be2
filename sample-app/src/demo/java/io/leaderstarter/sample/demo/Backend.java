package io.leaderstarter.sample.demo;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leaderstarter.sample.demo.server.ServerKind;

/**
 * What the nodes elect their leaders over. The last server of each keeps the leases; the
 * first one is the database with the invoices and the fence.
 */
enum Backend {

	H2(ServerKind.H2),

	POSTGRES(ServerKind.POSTGRES),

	MARIADB(ServerKind.MARIADB),

	ZOOKEEPER(ServerKind.H2, ServerKind.ZOOKEEPER),

	ETCD(ServerKind.H2, ServerKind.ETCD);

	private final List<ServerKind> servers;

	Backend(ServerKind... servers) {
		this.servers = List.of(servers);
	}

	/**
	 * Finds a backend.
	 * @param name its name, in any case
	 * @throws IllegalArgumentException if there is none of that name
	 */
	static Backend of(String name) {
		return Stream.of(values())
			.filter((backend) -> backend.name().equalsIgnoreCase(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no backend '%s'. There are: %s".formatted(name,
					Stream.of(values())
						.map((backend) -> backend.name().toLowerCase(Locale.ROOT))
						.collect(Collectors.joining(", ")))));
	}

	List<ServerKind> servers() {
		return this.servers;
	}

	/** What keeps the leases. */
	String title() {
		return this.servers.get(this.servers.size() - 1).title();
	}

	/** Where the invoices and the fence are. */
	String database() {
		return this.servers.get(0).title();
	}

}
