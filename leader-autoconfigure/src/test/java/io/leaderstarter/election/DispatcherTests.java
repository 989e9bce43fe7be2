package io.leaderstarter.election;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.Platform;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Dispatcher}.
 */
class DispatcherTests {

	/** Enough to meet the moment at which a thread takes a task. */
	private static final int TIMES = 1_000;

	private static final Leadership TERM = new Leadership("duty", 1, "term", "node", Instant.EPOCH);

	private final Dispatcher dispatcher = new Dispatcher(impatient());

	/**
	 * The threads of this process, but whoever waits looks all the time: what is counted
	 * too early or too late is seen.
	 */
	private static Platform impatient() {
		return (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(), new Class<?>[] { Platform.class },
				(proxy, method, arguments) -> method.getName().equals("await")
						? awaits((BooleanSupplier) arguments[0], (Duration) arguments[1])
						: method.invoke(Platform.SYSTEM, arguments));
	}

	private static boolean awaits(BooleanSupplier condition, Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
			Thread.onSpinWait();
		}
		return condition.getAsBoolean();
	}

	@Test
	void waitsForWhatWasJustHandedOn() {
		AtomicInteger notified = new AtomicInteger();
		LeadershipListener queued = this.dispatcher.queued(new LeadershipListener() {

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				notified.incrementAndGet();
			}

		});
		for (int i = 1; i <= TIMES; i++) {
			queued.onRevoked(TERM, RevocationReason.SHUTDOWN);
			this.dispatcher.awaitIdle(Duration.ofSeconds(30));
			assertThat(notified).hasValue(i);
		}
	}

	@Test
	void whatNoThreadCouldBeCreatedForIsDeliveredLaterAndInOrder() {
		Queue<Runnable> threads = new ArrayDeque<>();
		AtomicBoolean exhausted = new AtomicBoolean(true);
		Collection<Dispatcher.SerialQueue> stuck = new ConcurrentLinkedQueue<>();
		Dispatcher.SerialQueue queue = new Dispatcher.SerialQueue((task) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("On purpose: unable to create native thread");
			}
			threads.add(task);
		}, stuck);
		List<String> delivered = new ArrayList<>();
		queue.add(() -> delivered.add("granted"));
		queue.add(() -> delivered.add("revoked"));
		Dispatcher.retry(stuck);
		assertThat(threads).isEmpty();
		exhausted.set(false);
		Dispatcher.retry(stuck);
		assertThat(stuck).isEmpty();
		threads.forEach(Runnable::run);
		assertThat(delivered).containsExactly("granted", "revoked");
	}

	@Test
	void waitsAlsoAfterATaskThatFailed() {
		AtomicInteger notified = new AtomicInteger();
		this.dispatcher.execute(() -> {
			throw new IllegalStateException("On purpose");
		});
		this.dispatcher.awaitIdle(Duration.ofSeconds(30));
		this.dispatcher.execute(notified::incrementAndGet);
		this.dispatcher.awaitIdle(Duration.ofSeconds(30));
		assertThat(notified).hasValue(1);
	}

}
