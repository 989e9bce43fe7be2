package io.leaderstarter.sample.demo.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;

/**
 * Finds ports that nobody listens on.
 */
public final class FreePort {

	private static final int TRIES = 50;

	private FreePort() {
	}

	/**
	 * Returns a free port, as near to a wanted one as can be had.
	 * @param wanted the first to try; any will do if it is 0
	 * @return a port
	 */
	public static int near(int wanted) {
		return IntStream.range(wanted, (wanted != 0) ? wanted + TRIES : 0)
			.filter(FreePort::isFree)
			.findFirst()
			.orElseGet(FreePort::any);
	}

	private static boolean isFree(int port) {
		// On all addresses, as whoever asks may listen on all of them.
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static int any() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
