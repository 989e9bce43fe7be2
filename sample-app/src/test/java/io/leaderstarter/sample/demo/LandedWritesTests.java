package io.leaderstarter.sample.demo;

import java.util.List;

import io.leaderstarter.sample.demo.LandedWrites.Batch;
import io.leaderstarter.sample.demo.LandedWrites.Write;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LandedWrites}.
 */
class LandedWritesTests {

	private final LandedWrites writes = new LandedWrites();

	@Test
	void countsRowsOfOneTermTogether() {
		Write first = new Write("invoices", 1);
		Write second = new Write("invoices", 2);
		assertThat(this.writes.judge(List.of(first, second, first))).containsExactly(new Batch(first, 2, false),
				new Batch(second, 1, false));
		assertThat(this.writes.landed()).isEqualTo(3);
		assertThat(this.writes.stale()).isZero();
	}

	@Test
	void rowIsStaleIfALaterEpochWasThereBefore() {
		this.writes.judge(List.of(new Write("invoices", 2)));
		Write late = new Write("invoices", 1);
		assertThat(this.writes.judge(List.of(late, late))).containsExactly(new Batch(late, 2, true));
		assertThat(this.writes.stale()).isEqualTo(2);
	}

	@Test
	void rolesHaveEpochsOfTheirOwn() {
		this.writes.judge(List.of(new Write("invoices", 7)));
		this.writes.judge(List.of(new Write("outbox", 1)));
		assertThat(this.writes.stale()).isZero();
	}

}
