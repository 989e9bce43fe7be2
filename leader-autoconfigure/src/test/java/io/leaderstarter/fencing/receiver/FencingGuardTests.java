package io.leaderstarter.fencing.receiver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.leaderstarter.StaleLeaderException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link FencingGuard}.
 */
class FencingGuardTests {

	private final FencingGuard guard = new FencingGuard();

	@Test
	void acceptsHigherAndEqualEpochsAndRefusesLowerOnes() {
		this.guard.check("invoices", 7);
		this.guard.check("invoices", 7);
		this.guard.check("invoices", 9);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> this.guard.check("invoices", 8))
			.withMessage("Epoch 8 of 'invoices' is over: epoch 9 was seen");
		this.guard.check("invoices", 9);
	}

	@Test
	void rolesHaveSeparateEpochs() {
		this.guard.check("invoices", 7);
		assertThatNoException().isThrownBy(() -> this.guard.check("reports", 1));
	}

	@Test
	void epochThatWasGivenOutTwiceIsRefused() {
		this.guard.check("invoices", 7, "first");
		this.guard.check("invoices", 7, "first");
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> this.guard.check("invoices", 7, "second"))
			.withMessageContaining("granted twice");
		this.guard.check("invoices", 8, "second");
	}

	@Test
	void termIdThatWasNotSentIsNotCompared() {
		this.guard.check("invoices", 7, "first");
		this.guard.check("invoices", 7);
		this.guard.check("invoices", 8);
		this.guard.check("invoices", 8, "second");
	}

	@Test
	void termIdIsTakenOverWhenThereWasNone() {
		this.guard.check("invoices", 7);
		this.guard.check("invoices", 7, "first");
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> this.guard.check("invoices", 7, "second"))
			.withMessageContaining("granted twice");
		this.guard.check("invoices", 7);
		this.guard.check("invoices", 7, "first");
	}

	@Test
	void storeDecidesHowLongEpochsAreRemembered() {
		List<EpochStore.Entry> kept = new ArrayList<>(List.of(new EpochStore.Entry(7, "first")));
		EpochStore store = (role, offered) -> {
			if (offered.epoch() > kept.get(0).epoch()) {
				kept.set(0, offered);
			}
			return kept.get(0);
		};
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> new FencingGuard(store).check("invoices", 6));
		new FencingGuard(store).check("invoices", 8, "second");
		assertThat(kept).containsExactly(new EpochStore.Entry(8, "second"));
	}

	@Test
	void noThreadSeesALowerEpochAcceptedAfterAHigherOne() throws Exception {
		AtomicLong accepted = new AtomicLong();
		CountDownLatch start = new CountDownLatch(1);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int thread = 0; thread < 4; thread++) {
				int offset = thread;
				running.add(threads.submit(() -> {
					start.await();
					for (int epoch = offset; epoch < 20_000; epoch += 4) {
						long before = accepted.get();
						try {
							this.guard.check("invoices", epoch);
							assertThat((long) epoch).isGreaterThanOrEqualTo(before);
							accepted.accumulateAndGet(epoch, Math::max);
						}
						catch (StaleLeaderException ex) {
							// Another thread was ahead.
						}
					}
					return null;
				}));
			}
			start.countDown();
			for (Future<?> one : running) {
				one.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(accepted).hasValue(19_999);
	}

}
