package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.etcd.jetcd.Client;
import io.leaderstarter.backend.support.CallTimeout;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.TimeSource;

/**
 * Requests that belong together, to one server and with one time-out.
 */
record EtcdCall(CallTimeout timeout, EtcdServers servers, EtcdServer server) {

	EtcdCall(EtcdServers servers, Duration timeout) {
		this(new CallTimeout(TimeSource.SYSTEM, timeout, "etcd"), servers, servers.present());
	}

	Client client() {
		return this.server.client();
	}

	/**
	 * Return the answer.
	 * @param future the answer
	 * @param what the name of the requested data in messages
	 * @throws LeaseGoneException if the lease of this member has expired
	 * @throws StoreException if there is no answer in time, or a failure
	 */
	<T> T await(CompletableFuture<T> future, String what) {
		try {
			return this.timeout.await(future);
		}
		catch (TimeoutException ex) {
			this.servers.leave(this.server);
			throw EtcdFailures.unreachable(this.server.where(), ex);
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
