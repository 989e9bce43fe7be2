package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy between a client and a server that delays, cuts and drops as networks do. Knows
 * nothing of what the bytes mean.
 */
public final class FaultProxy implements AutoCloseable {

	private final int target;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Trips trips = new Trips();

	/** Those that must not notice that the other side has gone. */
	private final Set<Socket> forgotten = ConcurrentHashMap.newKeySet();

	private final Set<Socket> upstreams = ConcurrentHashMap.newKeySet();

	private final Gate requests = new Gate();

	private final Gate answers = new Gate();

	private final AtomicInteger refused = new AtomicInteger();

	private volatile boolean refusing;

	private volatile boolean closed;

	/**
	 * Starts on a free port.
	 * @param target the port of the server
	 */
	public FaultProxy(int target) {
		this(InetAddress.getLoopbackAddress(), target);
	}

	/**
	 * Starts on a free port of an address.
	 * @param address where clients connect to
	 * @param target the port of the server
	 */
	public FaultProxy(InetAddress address, int target) {
		this.target = target;
		try {
			this.server = new ServerSocket(0, 50, address);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon(this::accept);
	}

	public int port() {
		return this.server.getLocalPort();
	}

	/**
	 * Returns how often somebody asked and was answered. It counts one connection at a
	 * time.
	 * @return round trips so far, each seen when it begins
	 */
	public int roundTrips() {
		return this.trips.count.get();
	}

	/** How many connections are open through it. */
	public int connections() {
		return this.upstreams.size();
	}

	/** How many connections it has refused so far. */
	public int refused() {
		return this.refused.get();
	}

	/** Every request takes this much longer to arrive. */
	public void delayRequests(Duration delay) {
		this.requests.delay = delay;
	}

	/** Every answer takes this much longer to arrive. */
	public void delayAnswers(Duration delay) {
		this.answers.delay = delay;
	}

	/**
	 * Requests arrive and take effect, but no answer comes back. Both sides believe that
	 * the connection is fine.
	 */
	public void dropAnswers() {
		this.answers.dropping = true;
	}

	/** Nothing arrives on either side, and neither is notified: a network that is cut. */
	public void freeze() {
		this.requests.hold();
		this.answers.hold();
	}

	/** Requests are held back until {@link #heal()}, and then arrive late. */
	public void holdRequests() {
		this.requests.hold();
	}

	/** Ends every connection at once; new ones are possible. */
	public void cut() {
		this.sockets.forEach(FaultProxy::closeQuietly);
	}

	/**
	 * The server loses every connection, but the clients are not notified and wait for
	 * answers that never come. New connections work.
	 */
	public void halfOpen() {
		this.sockets.stream().filter((socket) -> !this.upstreams.contains(socket)).forEach(this.forgotten::add);
		this.upstreams.forEach(FaultProxy::closeQuietly);
	}

	/** Ends every connection at once and takes no new ones. */
	public void refuse() {
		this.refusing = true;
		cut();
	}

	/** Ends all faults. What was held back arrives now. */
	public void heal() {
		this.refusing = false;
		this.requests.open();
		this.answers.open();
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			heal();
			cut();
		}
	}

	private void accept() {
		while (!this.closed) {
			try {
				Socket client = this.server.accept();
				if (this.refusing) {
					this.refused.incrementAndGet();
					client.close();
					continue;
				}
				connect(client);
			}
			catch (IOException ex) {
				// The server was closed, or one connection failed; the loop knows.
			}
		}
	}

	private void connect(Socket client) throws IOException {
		Socket upstream = new Socket();
		try {
			upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.target), 5000);
		}
		catch (IOException ex) {
			client.close();
			throw ex;
		}
		client.setTcpNoDelay(true);
		upstream.setTcpNoDelay(true);
		this.upstreams.add(upstream);
		this.sockets.add(client);
		this.sockets.add(upstream);
		daemon(() -> copy(client, upstream, this.requests, this.trips::request));
		daemon(() -> copy(upstream, client, this.answers, this.trips::answer));
	}

	private void copy(Socket from, Socket to, Gate gate, Runnable arrived) {
		byte[] buffer = new byte[8192];
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				arrived.run();
				if (gate.lets()) {
					out.write(buffer, 0, read);
					out.flush();
				}
			}
		}
		catch (IOException | InterruptedException ex) {
			// One side has gone, so the other has to go too.
		}
		finally {
			end(from);
			end(to);
		}
	}

	private void end(Socket socket) {
		if (!this.forgotten.contains(socket)) {
			closeQuietly(socket);
			this.sockets.remove(socket);
			this.upstreams.remove(socket);
		}
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is as good as closed.
		}
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "fault-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	/** Counts how often the direction turned, not how often something was sent. */
	private static final class Trips {

		private final AtomicInteger count = new AtomicInteger();

		private final AtomicBoolean asking = new AtomicBoolean();

		void request() {
			if (this.asking.compareAndSet(false, true)) {
				this.count.incrementAndGet();
			}
		}

		void answer() {
			this.asking.set(false);
		}

	}

	/** What bytes of one direction have to pass. */
	private static final class Gate {

		private volatile Duration delay = Duration.ZERO;

		private volatile boolean dropping;

		private volatile CountDownLatch held = new CountDownLatch(0);

		boolean lets() throws InterruptedException {
			if (!this.delay.isZero()) {
				Thread.sleep(this.delay.toMillis());
			}
			this.held.await();
			return !this.dropping;
		}

		void hold() {
			if (this.held.getCount() == 0) {
				this.held = new CountDownLatch(1);
			}
		}

		void open() {
			this.delay = Duration.ZERO;
			this.dropping = false;
			this.held.countDown();
		}

	}

}
