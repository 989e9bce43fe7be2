package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Stands between a client and a server and can stop to pass anything on, as a network or
 * a machine does that hangs: connections stay open, and new ones are accepted.
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket server;

	private final int target;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile boolean frozen;

	/**
	 * Starts on a free port.
	 * @param target the port of the server
	 */
	public TcpProxy(int target) {
		try {
			this.target = target;
			this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			start(this::accept);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public int port() {
		return this.server.getLocalPort();
	}

	/** From now on nothing is passed on, also of connections to come. */
	public void freeze() {
		this.frozen = true;
	}

	/** New connections work again; those of before stay as dead as they are. */
	public void thaw() {
		this.frozen = false;
	}

	@Override
	public void close() {
		this.closed.countDown();
		closeQuietly(this.server);
		this.sockets.forEach(TcpProxy::closeQuietly);
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.server.accept();
				this.sockets.add(client);
				if (!this.frozen) {
					Socket upstream = new Socket(InetAddress.getLoopbackAddress(), this.target);
					this.sockets.add(upstream);
					start(() -> pass(client, upstream));
					start(() -> pass(upstream, client));
				}
			}
		}
		catch (IOException ex) {
			// The test is over.
		}
	}

	private void pass(Socket from, Socket to) {
		try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			byte[] bytes = new byte[8192];
			for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
				if (this.frozen) {
					// What was on its way is lost, and the sockets stay open.
					this.closed.await();
				}
				out.write(bytes, 0, read);
			}
		}
		catch (IOException | InterruptedException ex) {
			// One side is gone.
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "tcp-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private static void closeQuietly(AutoCloseable closeable) {
		try {
			closeable.close();
		}
		catch (Exception ex) {
			// It is not needed any more.
		}
	}

}
