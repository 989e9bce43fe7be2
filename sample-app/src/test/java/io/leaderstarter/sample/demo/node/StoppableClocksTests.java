package io.leaderstarter.sample.demo.node;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoppableClocks}.
 */
class StoppableClocksTests {

	private final Machine machine = new Machine();

	@Test
	void goLikeThoseOfTheMachineWhileTheProcessRuns() {
		StoppableClocks clocks = clocks(false);
		run(clocks, 10_000);
		assertThat(clocks.now()).isEqualTo(this.machine.now());
	}

	@Test
	void standStillWhileTheProcessDoes() {
		StoppableClocks clocks = clocks(false);
		run(clocks, 500);
		Moment before = clocks.now();
		this.machine.millis += 20_000;
		assertThat(clocks.now()).isEqualTo(before);
		run(clocks, 2000);
		assertThat(clocks.now().since(before)).hasMillis(2000);
		assertThat(clocks.now().wallMillis()).isEqualTo(before.wallMillis() + 2000);
	}

	@Test
	void onlyTheWallClockIsSetRightAfterAWhile() {
		StoppableClocks clocks = clocks(false);
		Moment before = clocks.now();
		this.machine.millis += 20_000;
		run(clocks, 4000);
		assertThat(clocks.currentTimeMillis()).isEqualTo(this.machine.currentTimeMillis());
		assertThat(clocks.now().since(before)).hasMillis(4000);
	}

	@Test
	void bothAreSetRightWhereTheMachinesClocksCountToo() {
		StoppableClocks clocks = clocks(true);
		this.machine.millis += 20_000;
		run(clocks, 4000);
		assertThat(clocks.now()).isEqualTo(this.machine.now());
	}

	@Test
	void pausesAddUp() {
		StoppableClocks clocks = clocks(false);
		Moment before = clocks.now();
		this.machine.millis += 20_000;
		run(clocks, 1000);
		this.machine.millis += 5000;
		run(clocks, 1000);
		assertThat(clocks.now().since(before)).hasMillis(2000);
		assertThat(clocks.currentTimeMillis()).isEqualTo(before.wallMillis() + 2000);
	}

	private StoppableClocks clocks(boolean setsBothRight) {
		return new StoppableClocks(this.machine, setsBothRight);
	}

	private void run(StoppableClocks clocks, int millis) {
		clocks.now();
		for (int i = 0; i < millis; i += 100) {
			this.machine.millis += 100;
			clocks.now();
		}
	}

	private static final class Machine implements TimeSource {

		private long millis = 1_000_000;

		@Override
		public long nanoTime() {
			return this.millis * 1_000_000;
		}

		@Override
		public long currentTimeMillis() {
			return this.millis;
		}

	}

}
