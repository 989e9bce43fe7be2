package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.apache.zookeeper.client.ConnectStringParser;

/**
 * Finds out why there is no session, which the client of ZooKeeper does not tell: asks
 * the servers themselves, as people do.
 */
final class ServerCheck {

	private static final int TIMEOUT_MILLIS = 1000;

	/** What every server answers, also one that has no majority of the others. */
	private static final String QUESTION = "srvr";

	private static final String SERVING = "Mode: ";

	private final List<InetSocketAddress> servers;

	ServerCheck(String connectString) {
		this.servers = new ConnectStringParser(connectString).getServerAddresses();
	}

	/**
	 * Returns the best that was found out about any of the servers.
	 */
	Finding find() {
		Finding best = Finding.AWAY;
		for (InetSocketAddress server : this.servers) {
			Finding found = ask(server);
			best = (found.compareTo(best) > 0) ? found : best;
		}
		return best;
	}

	private static Finding ask(InetSocketAddress server) {
		try (Socket socket = new Socket()) {
			// Resolved here, so that a name which nobody knows is one that is away.
			socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), TIMEOUT_MILLIS);
			socket.setSoTimeout(TIMEOUT_MILLIS);
			return ask(socket);
		}
		catch (IOException ex) {
			return Finding.AWAY;
		}
	}

	private static Finding ask(Socket socket) {
		try {
			socket.getOutputStream().write(QUESTION.getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			// Who does not want to be asked says so, too.
			return answer.isBlank() ? Finding.MUTE : answer.contains(SERVING) ? Finding.SERVES : Finding.WAITS;
		}
		catch (IOException ex) {
			return Finding.MUTE;
		}
	}

	/** What can be found out, the best last. */
	enum Finding {

		/** Nothing takes connections there. */
		AWAY,

		/** Something takes connections, but is no ZooKeeper that we can talk to. */
		MUTE,

		/** It waits until most of the servers are there, as far as can be known. */
		WAITS,

		/** It works. */
		SERVES

	}

}
