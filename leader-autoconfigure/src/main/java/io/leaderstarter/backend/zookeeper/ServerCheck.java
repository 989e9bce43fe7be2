package io.leaderstarter.backend.zookeeper;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why there is no session, or no answer in it. The client of ZooKeeper does not
 * report the cause, so the servers are queried by the command {@code srvr}.
 */
final class ServerCheck {

	private static final int CONNECT_MILLIS = 1000;

	/** Long enough for a server that is still starting. */
	private static final int ANSWER_MILLIS = 3000;

	/** A command that works without a majority of the servers, too. */
	private static final String QUESTION = "srvr";

	private static final String SERVING = "Mode: ";

	/** The number of requests that the server has not answered. */
	private static final String NOTHING_OUTSTANDING = "Outstanding: 0\n";

	/** Message of the JDK for another protocol than TLS. */
	private static final String OTHER_PROTOCOL = "unrecognized SSL message";

	private final List<InetSocketAddress> servers;

	private final @Nullable ClientTls tls;

	private final State silent;

	/**
	 * Create a new check.
	 * @param connectString the servers
	 * @param tls the TLS settings, {@code null} for none
	 * @param silent the state of a server that accepts a connection without answering,
	 * which may work if it is not known whether it uses TLS
	 */
	ServerCheck(String connectString, @Nullable ClientTls tls, State silent) {
		this.servers = new ConnectStringParser(connectString).getServerAddresses();
		this.tls = tls;
		this.silent = silent;
	}

	boolean hasKey() {
		return this.tls != null && this.tls.hasKey();
	}

	/**
	 * Return the best finding of all servers.
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
	 * Return the finding of one server.
	 * @param server the server
	 * @param connectMillis the time-out of the connection
	 * @param answerMillis the time-out of the answer
	 */
	Finding ask(InetSocketAddress server, int connectMillis, int answerMillis) {
		try (ObservedSocket socket = new ObservedSocket()) {
			// Resolved here, so that an unknown host counts as unreachable.
			socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), connectMillis);
			socket.setSoTimeout(answerMillis);
			return (this.tls != null) ? askSecurely(socket, server, this.tls) : ask(socket, this.silent);
		}
		catch (IOException ex) {
			return new Finding(State.AWAY, ex);
		}
	}

	private static Finding askSecurely(ObservedSocket plain, InetSocketAddress server, ClientTls tls) {
		try (SSLSocket socket = (SSLSocket) tls.context()
			.getSocketFactory()
			.createSocket(plain, server.getHostString(), server.getPort(), true)) {
			SSLParameters parameters = socket.getSSLParameters();
			tls.prepare(parameters);
			socket.setSSLParameters(parameters);
			socket.startHandshake();
			// A refusal may arrive only after the handshake.
			return ask(socket, State.REFUSES);
		}
		catch (IOException | GeneralSecurityException ex) {
			boolean speaksTls = plain.hasReceived() && !String.valueOf(ex.getMessage()).contains(OTHER_PROTOCOL);
			return new Finding(isUntrusted(ex) ? State.UNTRUSTED : speaksTls ? State.REFUSES : State.WITHOUT_TLS, ex);
		}
	}

	private static Finding ask(Socket socket, State silent) {
		try {
			socket.getOutputStream().write(QUESTION.getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			// A server that forbids the command answers, too.
			return new Finding(answer.isBlank() ? silent : answer.contains(SERVING) ? State.SERVES : State.WAITS, null,
					answer.contains(NOTHING_OUTSTANDING));
		}
		catch (IOException ex) {
			return new Finding(silent, ex);
		}
	}

	private static boolean isUntrusted(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.anyMatch((cause) -> cause instanceof CertificateException || cause instanceof CertPathValidatorException);
	}

	/** What can be found out about a server, the best last. */
	enum State {

		/** It does not accept connections. */
		AWAY,

		/** It accepts connections, but does not speak the ZooKeeper protocol. */
		NO_ZOOKEEPER,

		/** It does not seem to use TLS. */
		WITHOUT_TLS,

		/** It refuses the TLS handshake. */
		REFUSES,

		/** Its certificate is not trusted. */
		UNTRUSTED,

		/** It seems to wait for a majority of the servers. */
		WAITS,

		/** It works. */
		SERVES

	}

	/**
	 * The result of a check.
	 *
	 * @param state the state of a server
	 * @param cause the failure that shows it, {@code null} if the server answered
	 * @param idle whether the server has answered all requests
	 */
	record Finding(State state, @Nullable Exception cause, boolean idle) {

		Finding(State state, @Nullable Exception cause) {
			this(state, cause, false);
		}

		/** Return whether the server answers, maybe without a majority of the others. */
		boolean isAlive() {
			return this.state.compareTo(State.WAITS) >= 0;
		}

	}

	/**
	 * A socket that remembers whether anything was received. A server that refuses a
	 * handshake may close the connection before the reason is read.
	 */
	private static final class ObservedSocket extends Socket {

		private volatile boolean received;

		private boolean hasReceived() {
			return this.received;
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new FilterInputStream(super.getInputStream()) {

				@Override
				public int read(byte[] bytes, int offset, int length) throws IOException {
					int read = super.read(bytes, offset, length);
					ObservedSocket.this.received |= read > 0;
					return read;
				}

			};
		}

	}

}
