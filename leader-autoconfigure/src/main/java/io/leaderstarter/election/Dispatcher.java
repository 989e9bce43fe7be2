package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs listeners and gates, which may block. Each listener has a queue, so one that hangs
 * does not hold up others. Threads are created when needed and end when idle.
 */
final class Dispatcher {

	private static final Log logger = LogFactory.getLog(Dispatcher.class);

	/**
	 * A gate is a database that serves one request after the other. A second thread is
	 * for the other gates when one hangs.
	 */
	private static final int GATE_THREADS = 2;

	private final Platform platform;

	private final Executor executor;

	private final Executor gates;

	/**
	 * Notifications that were not delivered yet. The executor does not know: a task that
	 * it has just given to a thread counts as active only when that thread runs.
	 */
	private final AtomicInteger unfinished = new AtomicInteger();

	/** What no thread could be created for. */
	private final Collection<SerialQueue> stuck = new ConcurrentLinkedQueue<>();

	Dispatcher(Platform platform) {
		this.platform = platform;
		this.executor = platform.executor("leader-events", Integer.MAX_VALUE);
		this.gates = platform.executor("leader-gates", GATE_THREADS);
	}

	/**
	 * Run a task of the gate. Thousands of roles may be granted at once, so a few threads
	 * do that.
	 */
	void runGate(Runnable task) {
		this.gates.execute(task);
	}

	/**
	 * Run a task that may block. What it throws is logged.
	 */
	void execute(Runnable task) {
		new SerialQueue(this::handOn, this.stuck).add(() -> run(task));
	}

	LeadershipListener queued(LeadershipListener listener) {
		SerialQueue queue = new SerialQueue(this::handOn, this.stuck);
		return new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				queue.add(() -> listener.onGranted(leadership));
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				queue.add(() -> listener.onRevoked(leadership, reason));
			}

		};
	}

	/**
	 * Return a consumer whose calls are queued, in order, for the given one.
	 */
	<T> Consumer<T> queued(Consumer<T> consumer) {
		SerialQueue queue = new SerialQueue(this::handOn, this.stuck);
		return (value) -> queue.add(() -> consumer.accept(value));
	}

	/**
	 * Wait until all notifications were delivered, but not longer than the given time.
	 */
	void awaitIdle(Duration patience) {
		if (!this.platform.await(() -> this.unfinished.get() == 0, patience)) {
			logger.warn("A listener of leadership did not return in " + patience.toMillis() + " ms; not waiting");
		}
	}

	/**
	 * Deliver what could not be delivered as no thread could be created. The next
	 * notification may come much later, or never.
	 */
	void retry() {
		retry(this.stuck);
	}

	static void retry(Collection<SerialQueue> stuck) {
		// A copy, as what fails again is added again.
		List.copyOf(stuck).forEach(SerialQueue::run);
	}

	private void handOn(Runnable task) {
		this.unfinished.incrementAndGet();
		try {
			this.executor.execute(() -> {
				try {
					task.run();
				}
				finally {
					this.unfinished.decrementAndGet();
				}
			});
		}
		catch (Throwable ex) {
			this.unfinished.decrementAndGet();
			throw ex;
		}
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.error("A task of a term failed", ex);
		}
	}

	/**
	 * Runs tasks one after the other, in the order they were added.
	 */
	static final class SerialQueue {

		private final Executor executor;

		private final Queue<Runnable> tasks = new ArrayDeque<>();

		private final Collection<SerialQueue> stuck;

		private boolean running;

		/**
		 * Create a queue.
		 * @param executor where the tasks run
		 * @param stuck gets this queue if no thread could be created
		 */
		SerialQueue(Executor executor, Collection<SerialQueue> stuck) {
			this.executor = executor;
			this.stuck = stuck;
		}

		void add(Runnable task) {
			synchronized (this.tasks) {
				this.tasks.add(task);
			}
			run();
		}

		void run() {
			synchronized (this.tasks) {
				if (this.running || this.tasks.isEmpty()) {
					return;
				}
				this.running = true;
			}
			// Before it runs: the next task may find no thread again.
			boolean tried = this.stuck.remove(this);
			try {
				this.executor.execute(this::drain);
			}
			catch (Throwable ex) {
				synchronized (this.tasks) {
					this.running = false;
				}
				this.stuck.add(this);
				if (!tried) {
					logger.error("No thread could be created for what a term asks for. Trying again", ex);
				}
			}
		}

		private void drain() {
			for (Runnable task = next(); task != null; task = next()) {
				try {
					task.run();
				}
				catch (Throwable ex) {
					logger.error("A listener of leadership failed", ex);
				}
			}
		}

		private @Nullable Runnable next() {
			synchronized (this.tasks) {
				Runnable task = this.tasks.poll();
				this.running = task != null;
				return task;
			}
		}

	}

}
