package io.leaderstarter.backend.etcd;

import java.lang.module.ModuleDescriptor.Version;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warns of servers whose version may revoke leases that are kept alive: after a pause a
 * raft leader ends leases that its successor has extended. Then two members can lead
 * until the deadline of the first.
 */
final class ServerVersion {

	private static final Log logger = LogFactory.getLog(ServerVersion.class);

	private static final Pattern VERSION = Pattern.compile("(\\d+\\.\\d+\\.\\d+).*");

	private @Nullable EtcdServer checked;

	private boolean warned;

	/**
	 * Ask a new server for its version, without waiting for the answer. jetcd needs an
	 * address for that, and opens another connection. A client of the application does
	 * not expose its addresses, and the advertised ones may not be reachable from here,
	 * so that jetcd would try to connect for ever.
	 */
	void check(EtcdServer server) {
		String target = server.target();
		if (target == null || server == this.checked) {
			return;
		}
		this.checked = server;
		try {
			server.client()
				.getMaintenanceClient()
				.statusMember(target)
				.thenAccept((status) -> warn(server.where(), status.getVersion()));
		}
		catch (RuntimeException ex) {
			logger.debug("The version of etcd is not known", ex);
		}
	}

	private synchronized void warn(String where, String version) {
		if (!this.warned && losesLeases(version)) {
			this.warned = true;
			logger.warn(
					"etcd %s has version %s, which may revoke leases that are kept alive after one of its servers was paused. Then a member leads until its deadline although another one leads already; a fence refuses what it writes. Use etcd 3.4.31, 3.5.13 or later"
						.formatted(where, version));
		}
	}

	static boolean losesLeases(String version) {
		Matcher matcher = VERSION.matcher(version);
		return matcher.matches() && (isBefore("3.4.31", matcher.group(1))
				|| (!isBefore("3.5.0", matcher.group(1)) && isBefore("3.5.13", matcher.group(1))));
	}

	private static boolean isBefore(String limit, String version) {
		return Version.parse(version).compareTo(Version.parse(limit)) < 0;
	}

}
