package io.leaderstarter.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.backend.support.CallTimeout;
import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Requests in one session with one time-out. They are sent without waiting for each
 * other.
 */
final class ZooKeeperCall {

	private final ZooKeeperSession session;

	private final CallTimeout timeout;

	/**
	 * Create a new call.
	 * @param session the session of all requests
	 * @param timeout the time-out of all requests
	 */
	ZooKeeperCall(ZooKeeperSession session, CallTimeout timeout) {
		this.session = session;
		this.timeout = timeout;
	}

	ZooKeeperSession session() {
		return this.session;
	}

	/** Send operations that are executed atomically, or that only read. */
	CompletableFuture<Answer> send(List<Op> operations) {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		this.session.handle()
			.multi(operations, (code, path, context, results) -> answer.complete(new Answer(Code.get(code), results)),
					null);
		return answer;
	}

	CompletableFuture<Answer> exists(String path) {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		this.session.handle()
			.exists(path, false, (code, asked, context, stat) -> answer.complete(new Answer(Code.get(code), List.of())),
					null);
		return answer;
	}

	CompletableFuture<Answer> watch(String path, Watcher watcher) {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		this.session.handle()
			.addWatch(path, watcher, AddWatchMode.PERSISTENT_RECURSIVE,
					(code, asked, context) -> answer.complete(new Answer(Code.get(code), List.of())), null);
		return answer;
	}

	/**
	 * Return the answer with the results of all operations.
	 * @throws StoreException if there is none in time
	 */
	Answer await(CompletableFuture<Answer> future) {
		try {
			return this.timeout.await(future);
		}
		catch (TimeoutException ex) {
			throw new StoreException("ZooKeeper did not answer in time", ZooKeeperFailures.UNANSWERED, ex);
		}
		catch (ExecutionException ex) {
			throw new StoreException("The request to ZooKeeper failed", ex);
		}
	}

	/**
	 * An answer.
	 *
	 * @param code the first failure, or OK
	 * @param results one for each operation, {@code null} if they are not known
	 */
	record Answer(Code code, @Nullable List<OpResult> results) {

		boolean isOk() {
			return this.code == Code.OK;
		}

		/**
		 * Return the index of the operation that failed, -1 if none did. Those after it
		 * were not executed.
		 */
		int failed() {
			List<OpResult> all = known();
			for (int i = 0; i < all.size(); i++) {
				if (all.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()
						&& error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
					return i;
				}
			}
			return -1;
		}

		/**
		 * Return the results.
		 * @throws StoreException if the results are not known
		 */
		List<OpResult> known() {
			if (this.results == null) {
				throw ZooKeeperFailures.of(this.code, "the request");
			}
			return this.results;
		}

	}

}
