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
		assertThat(look(new LeaseView("role", 3, null))).isZero();
	}

	@Test
	void heldRoleIsWaitedForAsLongAsItLasts() {
		assertThat(look(held(1, 10))).isEqualTo(seconds(10));
	}

	@Test
	void expiredRoleMayBeTakenAtOnceAtTheFirstLook() {
		assertThat(look(held(1, -1))).isZero();
	}

	@Test
	void roleThatWasSeenUntilItRanOutMayBeTaken() {
		look(held(1, 10));
		pass(10);
		assertThat(look(held(1, 0))).isZero();
	}

	@Test
	void clockOfTheStoreThatIsSetForwardDoesNotShortenTheWait() {
		look(held(1, 10));
		pass(1);
		// Nine seconds too early by our clock.
		assertThat(look(held(1, -5))).isEqualTo(seconds(9));
		pass(9);
		assertThat(look(held(1, -14))).isZero();
	}

	@Test
	void leaseThatWasRenewedUnseenBeforeTheClockWasSetIsWaitedForAllItsTime() {
		look(held(1, 10));
		pass(5);
		// Renewed just now, and eleven seconds were lost by the store's clock.
		this.clockSetAt = this.now;
		assertThat(look(held(2, 4))).isEqualTo(TTL.plusMillis(15));
		pass(4);
		assertThat(look(held(2, 0))).isEqualTo(TTL.plusMillis(15).minusSeconds(4));
		// Renewed by the clock as it is since then.
		assertThat(look(held(3, 15))).isEqualTo(seconds(15));
	}

	@Test
	void leaseThatWasRenewedUnseenAndLooksExpiredIsWaitedForAllItsTime() {
		look(held(1, 10));
		pass(1);
		assertThat(look(held(2, -5))).isEqualTo(TTL.plusMillis(15));
		pass(16);
		assertThat(look(held(2, -21))).isZero();
	}

	@Test
	void clockOfTheStoreThatIsSetBackIsWaitedFor() {
		look(held(1, 10));
		pass(10);
		assertThat(look(held(1, 4))).isEqualTo(seconds(4));
	}

	@Test
	void clockOfTheStoreThatIsSetBackByMuchIsWaitedForNoLongerThanTheTtl() {
		look(held(1, 10));
		pass(1);
		assertThat(look(held(1, 3609))).isEqualTo(seconds(14).plusMillis(15));
		pass(15);
		Candidacy.Outlook outlook = this.candidacy.look(held(1, 3594), this.now, null);
		assertThat(outlook.isNow()).isTrue();
		assertThat(outlook.over()).isTrue();
	}

	@Test
	void leaseWhoseTtlIsGarbageIsWaitedForByOurs() {
		LeaseView garbage = new LeaseView("role", 3,
				new LeaseView.Owner("other", "term", new LeaseView.Expiry(1, Duration.ofDays(99), Duration.ZERO)));
		assertThat(look(garbage)).isEqualTo(TTL.plusMillis(15));
	}

	@Test
	void renewalBeginsTheWaitAnew() {
		look(held(1, 10));
		pass(5);
		assertThat(look(held(2, 15))).isEqualTo(seconds(15));
	}

	@Test
	void successorOfAnExpiredLeaseIsWaitedForAnew() {
		look(held(1, 1));
		pass(1);
		LeaseView successor = new LeaseView("role", 4,
				new LeaseView.Owner("third", "term-2", new LeaseView.Expiry(1, seconds(15), TTL)));
		assertThat(look(successor)).isEqualTo(seconds(15));
	}

	@Test
	void storeThatTellsByItselfIsWaitedFor() {
		assertThat(look(new LeaseView("role", 3, new LeaseView.Owner("other", "term", null)))).isNull();
	}

	@Test
	void whoHeldTheLastLeaseIsKnownIfThatWasSeen() {
		assertThat(this.candidacy.formerOwner()).isNull();
		look(new LeaseView("role", 0, null));
		assertThat(this.candidacy.formerOwner()).isNull();
		look(held(1, 10));
		look(new LeaseView("role", 3, null));
		assertThat(this.candidacy.formerOwner()).isEqualTo("other");
		// Somebody led and went meanwhile.
		look(new LeaseView("role", 4, null));
		assertThat(this.candidacy.formerOwner()).isNull();
	}

	private Duration look(LeaseView view) {
		Candidacy.Outlook outlook = this.candidacy.look(view, this.now, this.clockSetAt);
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
