package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import org.jetbrains.kotlinx.lincheck.strategy.TimeoutFailure;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests for the classes that threads share, by a model checker: it runs each of these
 * many times and decides itself which thread goes on at every access to shared memory.
 * What it tries is the same in every run.
 * <p>
 * Nothing here may wait for a time, or use a library for assertions: the checker follows
 * all that is called.
 */
@Tag("verify")
@Isolated("what its agent rewrites must not be in use")
class InterleavingTests {

	private static final int INTERLEAVINGS = 600;

	private static final Leadership TERM = new Leadership("role", 1, "term", "me", Instant.EPOCH);

	/**
	 * The agent deadlocks if it is only asked to rewrite a class that it needs for that
	 * when another thread has a jar open, so this one is there before it.
	 */
	@BeforeAll
	static void loadAgent() throws ClassNotFoundException {
		Class.forName("org.jetbrains.lincheck.jvm.agent.TransformationUtilsKt");
	}

	@Test
	void roleIsReleasedOnceAndNotWhileACallRuns() {
		check(() -> {
			Inside inside = new Inside();
			RoleElection election = leading(inside);
			Thread caller = thread(() -> inside.call(election));
			Thread other = thread(() -> inside.call(election));
			election.apply(new RoleInput.Leave(RevocationReason.RESIGNED));
			join(caller);
			join(other);
			inside.check();
			require(inside.releases == 1, "released " + inside.releases + " times");
		});
	}

	@Test
	void roleThatIsLostIsStoodForAgainOnceAllCallsHaveEndedAndNotBefore() {
		check(() -> {
			Inside inside = new Inside();
			RoleElection election = leading(inside);
			Thread caller = thread(() -> {
				RoleCall call = election.enter();
				if (call != null) {
					require(!(election.state() instanceof RoleState.Follower), "forgotten with a call inside");
					call.close();
				}
			});
			Thread loser = thread(() -> election.apply(new RoleInput.RenewalRefused("term")));
			Thread other = thread(() -> inside.call(election));
			join(loser);
			require(election.enter() == null, "a call was let in after the loss");
			join(caller);
			join(other);
			require(election.state() instanceof RoleState.Follower, "never forgotten: " + election.state());
			require(inside.releases == 0, "released what was lost");
		});
	}

	@Test
	void leavingAndLosingAtOnceEndTheTermOnce() {
		check(() -> {
			Inside inside = new Inside();
			RoleElection election = leading(inside);
			Thread caller = thread(() -> inside.call(election));
			Thread loser = thread(() -> election.apply(new RoleInput.RenewalRefused("term")));
			election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN));
			join(caller);
			join(loser);
			inside.check();
			election.apply(new RoleInput.Released("term"));
			require(election.state() instanceof RoleState.Follower, "not ended: " + election.state());
			require(inside.revocations == 1, "revoked " + inside.revocations + " times");
		});
	}

	@Test
	void listenerThatRegistersWhileTheTermEndsIsToldBothOrNothing() {
		check(() -> {
			Inside inside = new Inside();
			RoleElection election = leading(inside);
			int[] notified = new int[2];
			Thread registering = thread(() -> election.onChange(new LeadershipListener() {

				@Override
				public void onGranted(Leadership leadership) {
					notified[0]++;
				}

				@Override
				public void onRevoked(Leadership leadership, RevocationReason reason) {
					notified[1]++;
				}

			}));
			election.apply(new RoleInput.RenewalRefused("term"));
			join(registering);
			require(notified[0] == notified[1] && notified[0] <= 1,
					"granted %d, revoked %d".formatted(notified[0], notified[1]));
		});
	}

	@Test
	void queueRunsAllInOrderAndOneAtATime() {
		check(() -> {
			ThreadPerTask executor = new ThreadPerTask();
			Dispatcher.SerialQueue queue = new Dispatcher.SerialQueue(executor, new HashSet<>());
			// Not guarded by anything but the queue.
			List<Integer> ran = new ArrayList<>();
			boolean[] running = new boolean[1];
			Thread other = thread(() -> {
				queue.add(() -> run(running, ran, 11));
				queue.add(() -> run(running, ran, 12));
			});
			queue.add(() -> run(running, ran, 1));
			queue.add(() -> run(running, ran, 2));
			join(other);
			executor.join();
			require(ran.size() == 4, "ran " + ran);
			require(ran.indexOf(1) < ran.indexOf(2) && ran.indexOf(11) < ran.indexOf(12), "ran " + ran);
		});
	}

	/**
	 * Lets the checker run a test. It finds by itself that threads wait for each other,
	 * and says so. That time has run out is something else: its agent, which rewrites
	 * classes while they are loaded, has hung. Then the same is tried once more.
	 */
	private static void check(Runnable test) {
		// Without the checker, so that the classes are loaded before it follows threads.
		test.run();
		try {
			Lincheck.runConcurrentTest(INTERLEAVINGS, test);
		}
		catch (LincheckAssertionError ex) {
			if (!(ex.getFailure$lincheck() instanceof TimeoutFailure hung)) {
				throw ex;
			}
			hung.getThreadDump().forEach((thread, stack) -> {
				System.err.println(thread + " " + thread.getState());
				Stream.of(stack).forEach((element) -> System.err.println("\t" + element));
			});
			Lincheck.runConcurrentTest(INTERLEAVINGS, test);
		}
	}

	private static void run(boolean[] running, List<Integer> ran, int number) {
		require(!running[0], "two at a time");
		running[0] = true;
		ran.add(number);
		running[0] = false;
	}

	private static RoleElection leading(Inside inside) {
		ManualTime time = new ManualTime();
		RoleElection election = new RoleElection("role", true, new Failures(0, Duration.ofSeconds(15)),
				Platform.of(time), inside);
		election.apply(new RoleInput.Granted(TERM, new Deadline(time.now().plus(Duration.ofSeconds(10)))));
		election.apply(new RoleInput.GateOpened("term"));
		return election;
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		return thread;
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalStateException(otherwise);
		}
	}

	/** Counts the calls inside, and what the election asks for meanwhile. */
	private static final class Inside extends QuietEffects {

		private volatile int calls;

		private volatile boolean releasedWithin;

		private volatile int releases;

		private int revocations;

		void call(RoleElection election) {
			RoleCall call = election.enter();
			if (call != null) {
				count(1);
				// Let in after the release is as wrong as released after being let in.
				this.releasedWithin |= this.releases > 0;
				count(-1);
				call.close();
			}
		}

		private synchronized void count(int by) {
			this.calls += by;
		}

		void check() {
			require(!this.releasedWithin, "released while a call ran");
		}

		@Override
		public void perform(RoleElection election, RoleEffect effect) {
			if (effect instanceof RoleEffect.Release) {
				this.releases++;
				this.releasedWithin |= this.calls > 0;
			}
			else if (effect instanceof RoleEffect.AnnounceRevoked revoked) {
				this.revocations++;
				election.listeners().forEach((listener) -> listener.onRevoked(revoked.leadership(), revoked.reason()));
			}
		}

	}

	/** Runs each task on a thread of its own, at once. */
	private static final class ThreadPerTask implements Executor {

		private final List<Thread> threads = new ArrayList<>();

		@Override
		public void execute(Runnable task) {
			Thread thread = new Thread(task);
			synchronized (this.threads) {
				this.threads.add(thread);
			}
			thread.start();
		}

		void join() {
			this.threads.forEach(InterleavingTests::join);
		}

	}

}
