package io.leaderstarter.election.state;

import java.time.Duration;

import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Candidacy}.
 */
class CandidacyTests {

	private static final Duration TTL = Duration.ofSeconds(15);

	private final Candidacy candidacy = new Candidacy(TTL);

	private Moment clockSetAt;

	private Moment now = new Moment(Long.MAX_VALUE - 1_000_000_000L, 1_000_000);

	@Test
	void freeRoleMayBeTakenAtOnce() {
		assertThat(observe(new LeaseView("role", 3, null))).isZero();
	}

	@Test
	void heldRoleIsWaitedForAsLongAsItLasts() {
		assertThat(observe(held(1, 10))).isEqualTo(seconds(10));
	}

	@Test
	void expiredRoleMayBeTakenAtOnceAtTheFirstLook() {
		assertThat(observe(held(1, -1))).isZero();
	}

	@Test
	void roleThatWasSeenUntilItRanOutMayBeTaken() {
		observe(held(1, 10));
		pass(10);
		assertThat(observe(held(1, 0))).isZero();
	}

	@Test
	void clockOfTheStoreThatIsSetForwardDoesNotShortenTheWait() {
		observe(held(1, 10));
		pass(1);
		// Nine seconds too early by our clock.
		assertThat(observe(held(1, -5))).isEqualTo(seconds(9));
		pass(9);
		assertThat(observe(held(1, -14))).isZero();
	}

	@Test
	void leaseThatWasRenewedUnseenBeforeTheClockWasSetIsWaitedForAllItsTime() {
		observe(held(1, 10));
		pass(5);
		// Renewed just now, and eleven seconds were lost by the store's clock.
		this.clockSetAt = this.now;
		assertThat(observe(held(2, 4))).isEqualTo(TTL.plusMillis(15));
		pass(4);
		assertThat(observe(held(2, 0))).isEqualTo(TTL.plusMillis(15).minusSeconds(4));
		// Renewed by the clock as it is since then.
		assertThat(observe(held(3, 15))).isEqualTo(seconds(15));
	}

	@Test
	void leaseThatWasRenewedUnseenAndLooksExpiredIsWaitedForAllItsTime() {
		observe(held(1, 10));
		pass(1);
		assertThat(observe(held(2, -5))).isEqualTo(TTL.plusMillis(15));
		pass(16);
		assertThat(observe(held(2, -21))).isZero();
	}

	@Test
	void clockOfTheStoreThatIsSetBackIsWaitedFor() {
		observe(held(1, 10));
		pass(10);
		assertThat(observe(held(1, 4))).isEqualTo(seconds(4));
	}

	@Test
	void clockOfTheStoreThatIsSetBackByMuchIsWaitedForNoLongerThanTheTtl() {
		observe(held(1, 10));
		pass(1);
		assertThat(observe(held(1, 3609))).isEqualTo(seconds(14).plusMillis(15));
		pass(15);
		Candidacy.Outlook outlook = this.candidacy.observe(held(1, 3594), this.now, null);
		assertThat(outlook.isNow()).isTrue();
		assertThat(outlook.over()).isTrue();
	}

	@Test
	void leaseWhoseTtlIsGarbageIsWaitedForByOurs() {
		LeaseView garbage = new LeaseView("role", 3,
				new LeaseView.Owner("other", "term", new LeaseView.Expiry(1, Duration.ofDays(99), Duration.ZERO)));
		assertThat(observe(garbage)).isEqualTo(TTL.plusMillis(15));
	}

	@Test
	void renewalBeginsTheWaitAnew() {
		observe(held(1, 10));
		pass(5);
		assertThat(observe(held(2, 15))).isEqualTo(seconds(15));
	}

	@Test
	void successorOfAnExpiredLeaseIsWaitedForAnew() {
		observe(held(1, 1));
		pass(1);
		LeaseView successor = new LeaseView("role", 4,
				new LeaseView.Owner("third", "term-2", new LeaseView.Expiry(1, seconds(15), TTL)));
		assertThat(observe(successor)).isEqualTo(seconds(15));
	}

	@Test
	void storeThatTellsByItselfIsWaitedFor() {
		assertThat(observe(new LeaseView("role", 3, new LeaseView.Owner("other", "term", null)))).isNull();
	}

	@Test
	void whoHeldTheLastLeaseIsKnownIfThatWasSeen() {
		assertThat(this.candidacy.formerOwner()).isNull();
		observe(new LeaseView("role", 0, null));
		assertThat(this.candidacy.formerOwner()).isNull();
		observe(held(1, 10));
		observe(new LeaseView("role", 3, null));
		assertThat(this.candidacy.formerOwner()).isEqualTo("other");
		// Somebody led and went meanwhile.
		observe(new LeaseView("role", 4, null));
		assertThat(this.candidacy.formerOwner()).isNull();
	}

	private Duration observe(LeaseView view) {
		Candidacy.Outlook outlook = this.candidacy.observe(view, this.now, this.clockSetAt);
		assertThat(outlook.over()).isFalse();
		return outlook.delay();
	}

	private void pass(int seconds) {
		this.now = this.now.plus(seconds(seconds));
	}

	private static LeaseView held(long mark, int remaining) {
		return new LeaseView("role", 3,
				new LeaseView.Owner("other", "term", new LeaseView.Expiry(mark, seconds(remaining), TTL)));
	}

	private static Duration seconds(int seconds) {
		return Duration.ofSeconds(seconds);
	}

}
