package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link SessionProofs}.
 */
class SessionProofsTests {

	private static final Duration TICK = Duration.ofMillis(2000);

	private final SessionProofs proofs = new SessionProofs(TICK);

	private final ZooKeeperSession session = new ZooKeeperSession(mock(ZooKeeper.class), 1);

	@Test
	void nothingIsKnownOfASessionOfAnotherClient() {
		assertThat(this.proofs.countedFrom(this.session, at(0))).isNull();
		assertThat(this.proofs.isDue(this.session, at(0))).isTrue();
	}

	@Test
	void requestDoesNotProveItself() {
		this.proofs.add(this.session, at(0), at(10));
		assertThat(this.proofs.countedFrom(this.session, at(0))).isNull();
		assertThat(this.proofs.countedFrom(this.session, at(2009))).isNull();
		assertThat(this.proofs.countedFrom(this.session, at(2010))).isEqualTo(at(0));
	}

	/**
	 * It was sent at 0 but may have reached the server only just before it was answered.
	 */
	@Test
	void requestThatWasAnsweredLateProvesNothingForATick() {
		this.proofs.add(this.session, at(0), at(2900));
		assertThat(this.proofs.countedFrom(this.session, at(3000))).isNull();
		assertThat(this.proofs.countedFrom(this.session, at(4900))).isEqualTo(at(0));
	}

	@Test
	void latestThatIsOldEnoughCounts() {
		for (int i = 0; i < 10; i++) {
			this.proofs.add(this.session, at(i * 1000), at(i * 1000 + 10));
		}
		assertThat(this.proofs.countedFrom(this.session, at(9000))).isEqualTo(at(6000));
		assertThat(this.proofs.isDue(this.session, at(10_009))).isFalse();
		assertThat(this.proofs.isDue(this.session, at(10_010))).isTrue();
	}

	@Test
	void manyInOneTickDoNotPushOutThoseThatAreOldEnough() {
		for (int i = 0; i < 100_000; i++) {
			this.proofs.add(this.session, at(i), at(i));
		}
		assertThat(this.proofs.countedFrom(this.session, at(100_000)).nanos()).isBetween(at(97_000).nanos(),
				at(98_000).nanos());
	}

	@Test
	void anotherSessionBeginsAnew() {
		this.proofs.add(this.session, at(0), at(10));
		ZooKeeperSession next = new ZooKeeperSession(mock(ZooKeeper.class), 2);
		assertThat(this.proofs.countedFrom(next, at(5000))).isNull();
	}

	private static Moment at(long millis) {
		return new Moment(millis * 1_000_000, millis);
	}

}
