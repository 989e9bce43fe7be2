package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Requests that belong together, in one session and with one time-out for all. They are
 * sent without waiting for each other.
 */
final class ZooKeeperCall {

	private final ZooKeeperSession session;

	private final long end;

	/**
	 * Begins a call.
	 * @param session the session that all requests go into
	 * @param end when all must be answered, as {@link System#nanoTime()}
	 */
	ZooKeeperCall(ZooKeeperSession session, long end) {
		this.session = session;
		this.end = end;
	}

	ZooKeeperSession session() {
		return this.session;
	}

	/** Sends operations that are done all or none, or that only read. */
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
	 * Returns the answer, which says of each operation what became of it.
	 * @throws StoreException if there is none in time
	 */
	Answer await(CompletableFuture<Answer> future) {
		try {
			return future.get(Math.max(1, this.end - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new StoreException("ZooKeeper did not answer in time", ZooKeeperFailures.UNANSWERED, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StoreException("Interrupted while waiting for ZooKeeper", ex);
		}
		catch (ExecutionException ex) {
			throw new StoreException("ZooKeeper could not be asked", ex);
		}
	}

	static long end(Duration timeout) {
		return System.nanoTime() + timeout.toNanos();
	}

	/**
	 * What came back.
	 *
	 * @param code the first thing that went wrong, or that all is well
	 * @param results one for each operation, {@code null} if nothing is known of them
	 */
	record Answer(Code code, @Nullable List<OpResult> results) {

		boolean isOk() {
			return this.code == Code.OK;
		}

		/**
		 * Returns the position of the operation that failed, -1 if none did. Those behind
		 * it were not tried.
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
		 * Returns the results.
		 * @throws StoreException if it is not known what became of the operations
		 */
		List<OpResult> known() {
			if (this.results == null) {
				throw ZooKeeperFailures.of(this.code, "the request");
			}
			return this.results;
		}

	}

}
