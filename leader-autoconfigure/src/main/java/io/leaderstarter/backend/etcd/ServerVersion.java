package io.leaderstarter.backend.etcd;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warns of servers whose version is known to lose leases that are kept alive: a leader of
 * theirs that stood still and goes on ends leases that its successor has extended. Then
 * two members can lead until the deadline of the first.
 */
final class ServerVersion {

	private static final Log logger = LogFactory.getLog(ServerVersion.class);

	private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");

	private @Nullable EtcdServer checked;

	private boolean warned;

	/**
	 * Asks a server that is new to us for its version, without waiting for it. jetcd asks
	 * only by an address, over a connection of its own. A user's client does not tell its
	 * addresses, and those that the servers tell of themselves may not be reachable from
	 * here, so that such a connection would be tried for ever.
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
					"etcd %s has version %s, which may end leases that are kept alive if one of its servers stands still for a while. Then a member goes on until its deadline while another one leads already; a fence refuses what it writes. Use etcd 3.4.31, 3.5.13 or later"
						.formatted(where, version));
		}
	}

	static boolean losesLeases(String version) {
		Matcher matcher = VERSION.matcher(version);
		if (!matcher.matches()) {
			return false;
		}
		int major = Integer.parseInt(matcher.group(1));
		int minor = Integer.parseInt(matcher.group(2));
		int patch = Integer.parseInt(matcher.group(3));
		if (major != 3) {
			return major < 3;
		}
		return minor < 4 || (minor == 4 && patch < 31) || (minor == 5 && patch < 13);
	}

}
