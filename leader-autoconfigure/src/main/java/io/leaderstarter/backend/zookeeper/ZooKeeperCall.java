package io.leaderstarter.backend.zookeeper;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.leaderstarter.backend.support.CallTimeout;
import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Requests in one session with one time-out, and the rights on the nodes that they
 * create. They are sent without waiting for each other.
 *
 * @param session the session of all requests
 * @param timeout the time-out of all requests
 * @param acl who may use the nodes that are created
 */
record ZooKeeperCall(ZooKeeperSession session, CallTimeout timeout, List<ACL> acl) {

	Op creation(String path, byte[] data, CreateMode mode) {
		return Op.create(path, data, this.acl, mode);
	}

	/** Send operations, as {@link #send(List)} does, and wait for the answer. */
	Answer execute(Op... operations) {
		return await(send(List.of(operations)));
	}

	/** Send operations that are executed atomically, or that only read. */
	CompletableFuture<Answer> send(List<Op> operations) {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		this.session.handle()
			.multi(operations, (code, path, context, results) -> answer.complete(new Answer(Code.get(code), results)),
					null);
		return answer;
	}

	/**
	 * Send a request for each item before waiting for the first answer.
	 * @param operations returns the operations of a request
	 * @param answered notified of each answer
	 */
	<T> void sendAll(Collection<T> items, Function<T, List<Op>> operations, BiConsumer<T, Answer> answered) {
		List<CompletableFuture<Answer>> sent = items.stream().map((item) -> send(operations.apply(item))).toList();
		Iterator<CompletableFuture<Answer>> answers = sent.iterator();
		items.forEach((item) -> answered.accept(item, await(answers.next())));
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

		/** Throw the failure, unless there is none or one of these. */
		void require(String what, Code... others) {
			if (!isOk() && !List.of(others).contains(this.code)) {
				throw ZooKeeperFailures.of(this.code, what);
			}
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
