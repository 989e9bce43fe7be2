package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.chaos.Checks.Bites;
import io.leaderstarter.chaos.Ledger.Entry;
import io.leaderstarter.chaos.Options.Backend;
import io.leaderstarter.chaos.Options.Database;
import io.leaderstarter.chaos.Run.Check;
import io.leaderstarter.chaos.Run.Happened;
import io.leaderstarter.chaos.Run.Recovery;
import io.leaderstarter.chaos.Run.Span;
import io.leaderstarter.chaos.Run.Violation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each check finds what it is there for, in a history that is right otherwise.
 */
class ChecksTests {

	private final List<Event> events = new ArrayList<>();

	private final List<Entry> entries = new ArrayList<>();

	private final List<Happened> faults = new ArrayList<>();

	private final List<Recovery> recoveries = new ArrayList<>();

	private final List<Span> calm = new ArrayList<>();

	private final Map<String, Integer> logged = new TreeMap<>();

	private boolean fence = true;

	/** Process 0.1 leads under epoch 1 for a second, and then 1.1 under epoch 2. */
	ChecksTests() {
		write("0.1", "granted %d jpa 1", 0);
		write("0.1", "leads %d jpa 1", 100);
		write("0.1", "operation %d jpa 1 a %d %d COMMITTED", 210, 200, 205);
		this.entries.add(new Entry("jpa", 1, 1, 1, "a"));
		write("0.1", "leads %d jpa 1", 900);
		write("0.1", "revoked %d jpa 1 LEASE_EXPIRED", 1000);
		write("1.1", "granted %d jpa 2", 1100);
		write("1.1", "operation %d jpa 2 b %d %d COMMITTED", 1210, 1200, 1205);
		this.entries.add(new Entry("jpa", 2, 2, 2, "b"));
		write("0.1", "operation %d jpa 1 c %d %d REFUSED", 1300, 300, 800);
		write("0.1", "refusal %d jpa 1 FENCE", 1300);
	}

	@Test
	void nothingIsFoundInAHistoryThatIsRight() {
		assertThat(violations()).isEmpty();
	}

	@Test
	void commitUnderAnEarlierEpochIsStale() {
		this.entries.add(new Entry("jpa", 3, 3, 1, "d"));
		assertThat(violations()).containsExactly(Check.NO_STALE_COMMIT);
	}

	@Test
	void commitThatIsNotBasedOnTheOneBeforeLosesIt() {
		write("1.1", "operation %d jpa 2 d %d %d COMMITTED", 1410, 1400, 1405);
		this.entries.add(new Entry("jpa", 3, 2, 2, "d"));
		assertThat(violations()).containsExactly(Check.NO_LOST_UPDATE);
	}

	@Test
	void requestThatWasGivenUpMayTakeEffectBesideTheNextRunOfItsTerm() {
		write("1.1", "operation %d jpa 2 d %d %d UNKNOWN", 1410, 1400, 1405);
		write("1.1", "operation %d jpa 2 e %d %d COMMITTED", 1510, 1500, 1505);
		this.entries.add(new Entry("jpa", 3, 3, 2, "d"));
		this.entries.add(new Entry("jpa", 4, 3, 2, "e"));
		assertThat(violations()).isEmpty();
	}

	@Test
	void requestThatWasGivenUpDoesNotTakeEffectBesideTheNextTerm() {
		write("1.1", "operation %d jpa 2 d %d %d UNKNOWN", 1410, 1400, 1405);
		write("2.1", "operation %d jpa 3 e %d %d COMMITTED", 1510, 1500, 1505);
		this.entries.add(new Entry("jpa", 3, 3, 2, "d"));
		this.entries.add(new Entry("jpa", 4, 3, 3, "e"));
		assertThat(violations()).containsExactly(Check.NO_LOST_UPDATE);
	}

	@Test
	void acknowledgedWriteThatIsNotThereIsLost() {
		write("1.1", "operation %d jpa 2 d %d %d COMMITTED", 1410, 1400, 1405);
		assertThat(violations()).containsExactly(Check.NO_LOST_ACKNOWLEDGED_WRITE);
	}

	@Test
	void refusedWriteIsNotThere() {
		this.entries.add(new Entry("jpa", 3, 3, 2, "c"));
		assertThat(violations()).containsExactly(Check.NO_REFUSED_WRITE);
	}

	@Test
	void epochOfTwoProcessesIsFound() {
		write("2.1", "leads %d jpa 2", 1206);
		assertThat(violations()).containsExactly(Check.ONE_TERM_PER_EPOCH);
	}

	@Test
	void claimsAtTheSameTimeOverlap() {
		write("0.1", "leads %d jpa 1", 1201);
		assertThat(violations()).containsExactly(Check.NO_OVERLAP);
	}

	@Test
	void claimOfAnEndedRunOverlapsToo() {
		write("0.1", "operation %d jpa 1 d %d %d UNKNOWN", 1400, 700, 1203);
		assertThat(violations()).containsExactly(Check.NO_OVERLAP);
	}

	@Test
	void claimsOfAMemberWhoseClocksHaveStoodMayOverlap() {
		write("0.1", "leads %d jpa 1", 1201);
		this.faults.add(new Happened(FaultKind.SUSPEND, 0, "0.1", span(500, 1150)));
		assertThat(violations()).isEmpty();
		assertThat(Checks.of(run()).excusedOverlaps()).isEqualTo(1);
	}

	@Test
	void claimsOfOtherMembersMayNotOverlapWhileOneIsSuspended() {
		write("0.1", "leads %d jpa 1", 1201);
		this.faults.add(new Happened(FaultKind.SUSPEND, 2, "2.1", span(500, 1150)));
		assertThat(violations()).containsExactly(Check.NO_OVERLAP);
	}

	@Test
	void roleThatIsLedLateIsFound() {
		this.recoveries.add(new Recovery("jpa", 0, Options.TTL.plus(Options.GRACE), Duration.ZERO));
		assertThat(violations()).isEmpty();
		this.recoveries.add(new Recovery("jpa", 0, Options.TTL.plus(Options.GRACE).plusMillis(1), Duration.ZERO));
		assertThat(violations()).containsExactly(Check.LED_SOON);
	}

	@Test
	void termThatIsGrantedTwiceIsFound() {
		write("1.1", "granted %d jpa 3", 1500);
		assertThat(violations()).containsExactly(Check.GRANTED_THEN_REVOKED);
	}

	@Test
	void termThatIsRevokedWithoutABeginningIsFound() {
		write("1.1", "revoked %d jpa 3 SUPERSEDED", 1500);
		assertThat(violations()).containsExactly(Check.GRANTED_THEN_REVOKED);
	}

	@Test
	void roleThatIsLostWhileNothingIsWrongIsFound() {
		this.calm.add(span(950, 1050));
		assertThat(violations()).containsExactly(Check.NO_FALSE_DEMOTION);
	}

	@Test
	void errorThatNobodyExpectsIsFound() {
		this.logged.put("WARN io.leaderstarter.election.StoreMonitor: The jdbc backend did not answer 'renew'", 3);
		assertThat(violations()).isEmpty();
		this.logged.put("ERROR io.leaderstarter.election.StoreMonitor: The id of the store cannot be read", 1);
		assertThat(violations()).containsExactly(Check.NO_UNEXPECTED_ERROR);
	}

	@Test
	void runWithoutARefusalByTheFenceIsBlind() {
		this.events.removeIf((event) -> event.is("refusal"));
		assertThat(violations()).containsExactly(Check.NOT_BLIND);
		this.fence = false;
		assertThat(violations()).isEmpty();
	}

	@Test
	void runWithoutATakeoverIsBlind() {
		this.events.removeIf((event) -> event.process().equals("1.1"));
		assertThat(violations()).containsExactly(Check.NOT_BLIND);
	}

	@Test
	void faultsThatNeverHaveAnEffectAreBlind() {
		for (int i = 0; i < 9; i++) {
			this.faults.add(new Happened(FaultKind.POOL, 3, "3.1", span(0, 100)));
		}
		assertThat(violations()).isEmpty();
		this.faults.add(new Happened(FaultKind.POOL, 3, "3.1", span(0, 100)));
		assertThat(violations()).containsExactly(Check.NOT_BLIND);
		this.faults.add(new Happened(FaultKind.POOL, 0, "0.1", span(900, 950)));
		assertThat(violations()).isEmpty();
		assertThat(Checks.of(run()).bites()).containsEntry(FaultKind.POOL, new Bites(11, 1));
	}

	private List<Check> violations() {
		return Checks.of(run()).violations().stream().map(Violation::check).toList();
	}

	private Run run() {
		Options options = new Options(Backend.JDBC, Database.POSTGRESQL, Duration.ofMinutes(1), 1, this.fence);
		return new Run(options, this.events, this.entries, this.faults, this.recoveries, this.calm, List.of(),
				this.logged);
	}

	private void write(String process, String line, Integer... millis) {
		Object[] nanos = new Object[millis.length];
		for (int i = 0; i < millis.length; i++) {
			nanos[i] = nanos(millis[i]);
		}
		this.events.add(Event.of(process, line.formatted(nanos)));
	}

	private static Span span(int begin, int end) {
		return new Span(nanos(begin), nanos(end));
	}

	/** Not from zero on, which stands for a run that was never allowed. */
	private static long nanos(int millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis) + 1;
	}

}
