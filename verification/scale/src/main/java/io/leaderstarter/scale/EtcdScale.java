package io.leaderstarter.scale;

/**
 * Measures elections over etcd.
 */
public final class EtcdScale {

	private EtcdScale() {
	}

	public static void main(String[] args) throws Exception {
		CoordinatorScale scale = new CoordinatorScale();
		try (EtcdServers servers = new EtcdServers()) {
			System.out.println("etcd " + servers.version());
			scale.manyRoles(servers);
			scale.freedRole(servers);
			scale.handOvers(servers);
			scale.crashes(servers, "etcd");
		}
		scale.end();
	}

}
