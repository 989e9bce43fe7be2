package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why there is no session, or no answer in it, which the client of ZooKeeper
 * does not tell: asks the servers themselves, as people do.
 */
final class ServerCheck {

	private static final int CONNECT_MILLIS = 1000;

	/** A server that is busy with its start must not be taken for one that is mute. */
	private static final int ANSWER_MILLIS = 3000;

	/** What every server answers, also one that has no majority of the others. */
	private static final String QUESTION = "srvr";

	private static final String SERVING = "Mode: ";

	/** Of requests that it took and has not answered. */
	private static final String NOTHING_OUTSTANDING = "Outstanding: 0\n";

	/** How the JDK calls what is no TLS. */
	private static final String OTHER_PROTOCOL = "unrecognized SSL message";

	private final List<InetSocketAddress> servers;

	private final @Nullable Tls tls;

	private final State silent;

	/**
	 * Makes the check.
	 * @param connectString the servers
	 * @param tls how to speak TLS with them, {@code null} not to
	 */
	ServerCheck(String connectString, @Nullable Tls tls) {
		this(connectString, tls, State.MUTE);
	}

	private ServerCheck(String connectString, @Nullable Tls tls, State silent) {
		this.servers = new ConnectStringParser(connectString).getServerAddresses();
		this.tls = tls;
		this.silent = silent;
	}

	/**
	 * Makes the check of servers that may speak TLS or not: one that takes connections
	 * and says nothing may be well.
	 */
	static ServerCheck withoutKnowingTls(String connectString) {
		return new ServerCheck(connectString, null, State.WAITS);
	}

	boolean hasKey() {
		return this.tls != null && this.tls.hasKey();
	}

	/**
	 * Returns the best that was found out about any of the servers.
	 */
	Finding find() {
		Finding best = new Finding(State.AWAY, null);
		for (InetSocketAddress server : this.servers) {
			Finding found = ask(server, CONNECT_MILLIS, ANSWER_MILLIS);
			best = (found.state().compareTo(best.state()) > 0) ? found : best;
		}
		return best;
	}

	/**
	 * Returns what was found out about one server.
	 * @param server the server
	 * @param patienceMillis how long it may take to connect, and then to answer
	 */
	Finding ask(InetSocketAddress server, int patienceMillis) {
		return ask(server, patienceMillis, patienceMillis);
	}

	private Finding ask(InetSocketAddress server, int connectMillis, int answerMillis) {
		try (HearingSocket socket = new HearingSocket()) {
			// Resolved here, so that a name which nobody knows is one that is away.
			socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), connectMillis);
			socket.setSoTimeout(answerMillis);
			return (this.tls != null) ? askSecurely(socket, server, this.tls) : ask(socket, this.silent);
		}
		catch (IOException ex) {
			return new Finding(State.AWAY, ex);
		}
	}

	private static Finding askSecurely(HearingSocket plain, InetSocketAddress server, Tls tls) {
		try (SSLSocket socket = (SSLSocket) tls.context()
			.getSocketFactory()
			.createSocket(plain, server.getHostString(), server.getPort(), true)) {
			SSLParameters parameters = socket.getSSLParameters();
			tls.prepare(parameters);
			socket.setSSLParameters(parameters);
			socket.startHandshake();
			// Who is not welcome hears of it only after the handshake.
			return ask(socket, State.REFUSES);
		}
		catch (IOException | GeneralSecurityException ex) {
			boolean speaksTls = plain.hasHeard() && !String.valueOf(ex.getMessage()).contains(OTHER_PROTOCOL);
			return new Finding(isMistrust(ex) ? State.UNTRUSTED : speaksTls ? State.REFUSES : State.WITHOUT_TLS, ex);
		}
	}

	private static Finding ask(Socket socket, State silent) {
		try {
			socket.getOutputStream().write(QUESTION.getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			// Who does not want to be asked says so, too.
			return new Finding(answer.isBlank() ? silent : answer.contains(SERVING) ? State.SERVES : State.WAITS, null,
					answer.contains(NOTHING_OUTSTANDING));
		}
		catch (IOException ex) {
			return new Finding(silent, ex);
		}
	}

	private static boolean isMistrust(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof CertificateException || cause instanceof CertPathValidatorException) {
				return true;
			}
		}
		return false;
	}

	/** How to speak TLS with the servers. */
	interface Tls {

		/** What the servers are trusted by, and know us by. */
		SSLContext context() throws GeneralSecurityException, IOException;

		/** Sets what connections are to keep to beside that. */
		void prepare(SSLParameters parameters);

		/** Whether the servers can know us by a key. */
		boolean hasKey();

	}

	/** What can be found out of a server, the best last. */
	enum State {

		/** Nothing takes connections there. */
		AWAY,

		/** Something takes connections, but is no ZooKeeper that we can talk to. */
		MUTE,

		/** It does not speak TLS, as far as can be known. */
		WITHOUT_TLS,

		/** It speaks TLS, but not with us. */
		REFUSES,

		/** We do not trust its certificate. */
		UNTRUSTED,

		/** It waits until most of the servers are there, as far as can be known. */
		WAITS,

		/** It works. */
		SERVES

	}

	/**
	 * What was found out.
	 *
	 * @param state the state of a server
	 * @param cause how that was seen, {@code null} if it said so
	 * @param idle whether it said that it has answered all requests
	 */
	record Finding(State state, @Nullable Exception cause, boolean idle) {

		Finding(State state, @Nullable Exception cause) {
			this(state, cause, false);
		}

		/** Whether the server answers at all, be it without most of the others. */
		boolean isAlive() {
			return this.state.compareTo(State.WAITS) >= 0;
		}

	}

}
