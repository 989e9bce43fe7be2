package io.leaderstarter.election.spi;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WorkerThread}.
 */
class WorkerThreadTests {

	/** Nobody waits for so long: only waking makes another step. */
	private static final Duration FOR_EVER = Duration.ofDays(1);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private WorkerThread worker;

	@AfterEach
	void stop() {
		this.worker.stop(PATIENCE);
		assertThat(this.threads).noneMatch(Thread::isAlive);
	}

	@Test
	void everyWakeUpIsFollowedByAStep() {
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger seen = new AtomicInteger();
		start(() -> {
			seen.set(asked.get());
			return FOR_EVER;
		});
		for (int i = 1; i <= 20_000; i++) {
			asked.set(i);
			this.worker.wake();
			while (seen.get() != i) {
				Thread.onSpinWait();
			}
		}
	}

	@Test
	void wakeUpsOfManyAreNotLost() throws Exception {
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger seen = new AtomicInteger();
		start(() -> {
			seen.set(asked.get());
			return FOR_EVER;
		});
		for (int round = 0; round < 200; round++) {
			CountDownLatch done = new CountDownLatch(4);
			for (int i = 0; i < 4; i++) {
				new Thread(() -> {
					asked.incrementAndGet();
					this.worker.wake();
					done.countDown();
				}).start();
			}
			done.await();
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> seen.get() == asked.get());
		}
	}

	@Test
	void stopEndsTheThreadWhereverItIsAndStartMakesANewOne() {
		start(() -> FOR_EVER);
		for (int round = 0; round < 500; round++) {
			this.worker.stop(PATIENCE);
			assertThat(this.threads).noneMatch(Thread::isAlive);
			this.threads.clear();
			this.worker.start();
			if (round % 2 == 0) {
				this.worker.wake();
			}
		}
	}

	@Test
	void threadThatHungWhenItWasStoppedIsNotWokenInPlaceOfItsSuccessor() throws Exception {
		CountDownLatch hanging = new CountDownLatch(1);
		CountDownLatch successorMayGoOn = new CountDownLatch(1);
		AtomicInteger steps = new AtomicInteger();
		start(() -> {
			int step = steps.incrementAndGet();
			if (step <= 2) {
				waitFor((step == 1) ? hanging : successorMayGoOn);
			}
			return FOR_EVER;
		});
		await().atMost(PATIENCE).until(() -> steps.get() == 1);
		this.worker.stop(Duration.ofMillis(1));
		this.worker.start();
		await().atMost(PATIENCE).until(() -> steps.get() == 2);
		Thread hung = this.threads.get(0);
		// For the successor, which is at a step that may not have seen why.
		this.worker.wake();
		hanging.countDown();
		hung.join(PATIENCE.toMillis());
		assertThat(hung.isAlive()).isFalse();
		successorMayGoOn.countDown();
		await().atMost(PATIENCE).until(() -> steps.get() >= 3);
	}

	@Test
	void stepThatFailsIsNotTheLast() {
		AtomicInteger steps = new AtomicInteger();
		start(() -> {
			if (steps.incrementAndGet() == 1) {
				throw new IllegalStateException("This step fails because the test wants it to");
			}
			return FOR_EVER;
		});
		this.worker.wake();
		await().atMost(PATIENCE).until(() -> steps.get() >= 2);
	}

	private void start(Supplier<Duration> step) {
		this.worker = new WorkerThread("worker", () -> {
			if (!this.threads.contains(Thread.currentThread())) {
				this.threads.add(Thread.currentThread());
			}
			return step.get();
		});
		this.worker.start();
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
