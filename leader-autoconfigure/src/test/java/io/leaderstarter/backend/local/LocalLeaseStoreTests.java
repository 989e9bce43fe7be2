package io.leaderstarter.backend.local;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreMember;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LocalLeaseStoreFactory}.
 */
class LocalLeaseStoreTests {

	private final StoreMember member = member();

	@Test
	void everyRoleIsGrantedWithTheNextEpoch() {
		LeaseView free = this.member.observe("invoices");
		assertThat(free.owner()).isNull();
		LeaseKey lease = this.member.take("invoices");
		assertThat(lease.epoch()).isEqualTo(free.epoch() + 1);
		LeaseView held = this.member.observe("invoices");
		assertThat(held.epoch()).isEqualTo(lease.epoch());
		assertThat(held.owner()).isEqualTo(new LeaseView.Owner(this.member.id(), lease.termId(), null));
	}

	@Test
	void severalRolesAreGrantedInOneCall() {
		assertThat(this.member.tryToTake("a", "b", "A")).extracting(LeaseKey::role)
			.containsExactlyInAnyOrder("a", "b", "A");
	}

	@Test
	void onlyWhatIsHeldIsRenewed() {
		LeaseKey held = this.member.take("held");
		LeaseKey released = this.member.take("released");
		this.member.release(released);
		LeaseKey former = new LeaseKey("held", held.epoch() - 1, held.termId());
		LeaseKey other = new LeaseKey("held", held.epoch(), "other");
		assertThat(this.member.renew(former, released, held, other)).containsExactly(held);
	}

	@Test
	void onlyTheExactLeaseIsReleasedAndKeepsItsEpoch() {
		LeaseKey lease = this.member.take("invoices");
		this.member.release(new LeaseKey("invoices", lease.epoch(), "other"),
				new LeaseKey("invoices", lease.epoch() + 1, lease.termId()));
		assertThat(this.member.renew(lease)).containsExactly(lease);
		this.member.release(lease);
		assertThat(this.member.observe("invoices")).isEqualTo(new LeaseView("invoices", lease.epoch(), null));
	}

	@Test
	void epochsGrowOverRestarts() {
		LeaseKey last = null;
		for (int term = 0; term < 3; term++) {
			if (last != null) {
				this.member.release(last);
			}
			last = this.member.take("invoices");
		}
		this.member.store().close();
		long epoch = last.epoch();
		// A restart takes longer than the few milliseconds that the terms were numbered
		// ahead of the clock.
		await().until(() -> System.currentTimeMillis() > epoch);
		assertThat(member().take("invoices").epoch()).isGreaterThan(epoch);
	}

	@Test
	void nodesAskNobody() {
		this.member.take("invoices");
		assertThat(member().tryToTake("invoices")).hasSize(1);
	}

	@Test
	void memberIsTheOnlyOne() {
		member().announce("other");
		assertThat(this.member.announce("own")).isEqualTo(Map.of(this.member.id(), "own"));
		this.member.withdraw();
	}

	@Test
	void closedStoreHoldsNothing() {
		LeaseKey lease = this.member.take("invoices");
		this.member.store().close();
		assertThat(this.member.store().renew(Set.of(lease), StoreMember.attempt()).renewed()).isEmpty();
	}

	@Test
	void factoryDescribesTheStore() {
		LocalLeaseStoreFactory factory = new LocalLeaseStoreFactory();
		assertThat(factory.name()).isEqualTo("local").isEqualTo(this.member.store().name());
		assertThat(List.of(factory.minimumTtl(), this.member.store().pollInterval()))
			.allMatch((time) -> time.toMillis() > 0);
	}

	private static StoreMember member() {
		StoreIdentity identity = new StoreIdentity("app", "member", Duration.ofSeconds(15));
		LeaseStore store = new LocalLeaseStoreFactory().create(identity);
		store.prepare();
		return new StoreMember(identity, store);
	}

}
