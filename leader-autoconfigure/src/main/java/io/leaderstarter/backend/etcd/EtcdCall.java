package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.etcd.jetcd.Client;
import io.leaderstarter.election.spi.StoreException;

/**
 * Requests that belong together, to one server and with one time-out for all.
 */
final class EtcdCall {

	private final EtcdServers servers;

	private final EtcdServer server;

	private final long end;

	EtcdCall(EtcdServers servers, Duration timeout) {
		this.end = System.nanoTime() + timeout.toNanos();
		this.servers = servers;
		this.server = servers.present();
	}

	EtcdServer server() {
		return this.server;
	}

	Client client() {
		return this.server.client();
	}

	/**
	 * Returns the answer.
	 * @param future what is waited for
	 * @param what was asked for, as people know it
	 * @throws LeaseGoneException if etcd does not know our lease any more
	 * @throws StoreException if there is no answer in time, or one that does not help
	 */
	<T> T await(CompletableFuture<T> future, String what) {
		try {
			return future.get(Math.max(1, this.end - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			this.servers.leave(this.server);
			throw EtcdFailures.unreachable(this.server.where(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StoreException("Interrupted while waiting for etcd", ex);
		}
		catch (ExecutionException | CancellationException ex) {
			StoreException failure = EtcdFailures.of(ex, what, this.server.where());
			if (!EtcdFailures.isAnswer(ex)) {
				this.servers.leave(this.server);
			}
			throw failure;
		}
	}

}
