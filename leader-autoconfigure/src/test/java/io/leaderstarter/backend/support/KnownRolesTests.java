package io.leaderstarter.backend.support;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KnownRoles}.
 */
class KnownRolesTests {

	private static final LeaseKey LEASE = new LeaseKey("r", 4, "mine");

	private static final LeaseRecord OURS = new LeaseRecord(4, "mine", "me");

	private final KnownRoles<Long> known = new KnownRoles<>(new StoreIdentity("test", "me", Duration.ofSeconds(15)),
			"former session");

	@Test
	void roleIsTakeableOnlyAsItWasObserved() {
		assertThat(takeable(3)).isNull();
		StoredRole free = role(new LeaseRecord(3, "x", "other"), null);
		LeaseView view = this.known.observed(free, null);
		assertThat(view).isEqualTo(new LeaseView("r", 3, null));
		assertThat(takeable(3)).isSameAs(free);
		assertThat(takeable(2)).isNull();
		this.known.observed(role(free.last(), new LeaseRecord(3, "x", "other")), null);
		assertThat(takeable(3)).isNull();
	}

	@Test
	void roleWithGarbageIsNotTakeable() {
		LeaseView view = this.known.observed(role(LeaseRecord.read(null), null), null);
		assertThat(view.hasNextEpoch()).isFalse();
		assertThat(takeable(view.epoch())).isNull();
	}

	@Test
	void grantedLeaseIsHeldUntilItIsForgotten() {
		this.known.observed(role(new LeaseRecord(3, "x", "other"), null), null);
		this.known.granted(LEASE, 7L);
		assertThat(takeable(3)).isNull();
		assertThat(this.known.proof(LEASE)).isEqualTo(7);
		assertThat(this.known.isNoneHeld()).isFalse();
		assertThat(this.known.forget(new LeaseKey("r", 4, "another"))).isNull();
		assertThat(this.known.forget(LEASE)).isEqualTo(7);
		assertThat(this.known.forget(LEASE)).isNull();
		assertThat(this.known.isNoneHeld()).isTrue();
	}

	@Test
	void onlyTheLatestLeaseOfARoleIsHeld() {
		this.known.granted(LEASE, 7L);
		LeaseKey later = new LeaseKey("r", 5, "later");
		this.known.granted(later, 8L);
		assertThat(this.known.proof(LEASE)).isNull();
		assertThat(this.known.proof(later)).isEqualTo(8);
		this.known.forgetAll();
		assertThat(this.known.isNoneHeld()).isTrue();
	}

	@Test
	void leaseThatWasGrantedWithoutAnAnswerIsHeld() {
		assertThat(this.known.observed(role(OURS, OURS), 7L).owner())
			.isEqualTo(new LeaseView.Owner("me", "mine", null));
		assertThat(this.known.proof(LEASE)).isEqualTo(7);
	}

	/** It may end at any time, whatever this process does. */
	@Test
	void leaseOfAFormerSessionIsNotHeld() {
		assertThat(this.known.observed(role(OURS, OURS), null).owner())
			.isEqualTo(new LeaseView.Owner("me (former session)", "mine", null));
		assertThat(this.known.isNoneHeld()).isTrue();
	}

	@Test
	void leaseOfAnotherMemberIsNotHeld() {
		LeaseRecord theirs = new LeaseRecord(4, "theirs", "other");
		assertThat(this.known.observed(role(theirs, theirs), 7L).owner())
			.isEqualTo(new LeaseView.Owner("other", "theirs", null));
		assertThat(this.known.isNoneHeld()).isTrue();
	}

	/** Somebody changed the epoch by hand. */
	@Test
	void leaseThatDiffersFromTheLastGrantIsNotHeld() {
		assertThat(this.known.observed(role(new LeaseRecord(9, "", ""), OURS), 7L).owner())
			.isEqualTo(new LeaseView.Owner("me", "mine", null));
		assertThat(this.known.isNoneHeld()).isTrue();
	}

	private @Nullable StoredRole takeable(long observedEpoch) {
		LeaseRequest request = new LeaseRequest("r", observedEpoch, "mine", null, false);
		return this.known.takeable(List.of(request)).get(request);
	}

	private static StoredRole role(LeaseRecord last, @Nullable LeaseRecord leader) {
		return new StoredRole("r", last, 1, leader);
	}

}
