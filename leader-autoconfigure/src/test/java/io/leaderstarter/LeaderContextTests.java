package io.leaderstarter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LeaderContext}.
 */
class LeaderContextTests {

	private final TestTerm outer = new TestTerm("outer", 3);

	private final TestTerm inner = new TestTerm("inner", 8);

	private final ExecutorService pool = Executors.newSingleThreadExecutor();

	@AfterEach
	void nothingIsLeftBehind() throws Exception {
		assertThat(LeaderContext.terms()).isEmpty();
		assertThat(this.pool.submit(LeaderContext::terms).get(20, TimeUnit.SECONDS)).isEmpty();
		this.pool.shutdownNow();
	}

	@Test
	void knowsNoTermOutsideOfCalls() {
		assertThat(LeaderContext.current()).isEmpty();
		assertThat(LeaderContext.isStillLeader()).isFalse();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(LeaderContext::epoch)
			.withMessageContaining("not called from a @LeaderOnly method");
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(LeaderContext::check);
	}

	@Test
	void knowsTheTermOfTheCall() {
		try (LeaderContext.Scope scope = LeaderContext.open(this.outer)) {
			assertThat(scope).isNotNull();
			assertThat(LeaderContext.current()).contains(this.outer.leadership());
			assertThat(LeaderContext.epoch()).isEqualTo(3);
			assertThat(LeaderContext.isStillLeader()).isTrue();
			LeaderContext.check();
		}
	}

	@Test
	void innermostTermComesFirstAndGoesFirst() {
		LeaderContext.Scope outerScope = LeaderContext.open(this.outer);
		LeaderContext.Scope innerScope = LeaderContext.open(this.inner);
		assertThat(LeaderContext.epoch()).isEqualTo(8);
		assertThat(LeaderContext.terms()).containsExactly(this.inner, this.outer);
		innerScope.close();
		assertThat(LeaderContext.epoch()).isEqualTo(3);
		assertThat(LeaderContext.terms()).containsExactly(this.outer);
		outerScope.close();
	}

	@Test
	void termThatIsOverEndsTheWork() {
		LeaderContext.Scope scope = LeaderContext.open(this.outer);
		this.outer.end();
		assertThat(LeaderContext.isStillLeader()).isFalse();
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(LeaderContext::check)
			.withMessage("The term 'outer' epoch 3 of member-3 is over");
		assertThat(LeaderContext.epoch()).as("what the call began under").isEqualTo(3);
		scope.close();
	}

	@Test
	void workIsAskedToEndWhenAnyOfItsTermsIsGivenUp() {
		assertThat(LeaderContext.isEnding()).isFalse();
		LeaderContext.open(this.outer);
		LeaderContext.open(this.inner);
		assertThat(LeaderContext.isEnding()).isFalse();
		this.outer.leave();
		assertThat(LeaderContext.isEnding()).isTrue();
		assertThat(LeaderContext.isStillLeader()).isTrue();
		LeaderContext.restore(null);
	}

	@Test
	void workIsToldOnceThoughItBelongsToSeveralTerms() {
		List<String> told = new ArrayList<>();
		LeaderContext.open(this.outer);
		LeaderContext.open(this.inner);
		LeaderContext.onCancel(() -> told.add("cancelled"));
		LeaderContext.onCancel(() -> told.add("withdrawn")).close();
		this.outer.end();
		this.inner.end();
		assertThat(told).containsExactly("cancelled");
		LeaderContext.restore(null);
	}

	@Test
	void workWithoutATermCannotBeTold() {
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(() -> LeaderContext.onCancel(() -> {
		}));
	}

	@Test
	void termsCanBeCarriedElsewhereAsOne() throws Exception {
		LeaderContext.open(this.outer);
		LeaderContext.open(this.inner);
		LeaderContext snapshot = LeaderContext.snapshot();
		assertThat(this.pool.submit(() -> {
			try (LeaderContext.Scope scope = LeaderContext.restore(snapshot)) {
				assertThat(scope).isNotNull();
				return LeaderContext.epoch();
			}
		}).get(20, TimeUnit.SECONDS)).isEqualTo(8);
		assertThat(this.pool.submit(LeaderContext::snapshot).get(20, TimeUnit.SECONDS)).isNull();
		LeaderContext.restore(null);
	}

	@Test
	void outerTermThatIsOverEndsTheInnerWorkToo() {
		LeaderContext.Scope outerScope = LeaderContext.open(this.outer);
		LeaderContext.Scope innerScope = LeaderContext.open(this.inner);
		this.outer.end();
		assertThat(LeaderContext.isStillLeader()).isFalse();
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(LeaderContext::check)
			.withMessageContaining("'outer'");
		innerScope.close();
		outerScope.close();
	}

	@Test
	void otherThreadsKnowNothingUnlessTheyAreTold() throws Exception {
		LeaderContext.Scope scope = LeaderContext.open(this.outer);
		Callable<Long> wrapped = LeaderContext.wrap((Callable<Long>) LeaderContext::epoch);
		assertThat(this.pool.submit(LeaderContext::current).get(20, TimeUnit.SECONDS)).isEmpty();
		assertThat(this.pool.submit(wrapped).get(20, TimeUnit.SECONDS)).isEqualTo(3);
		scope.close();
		assertThat(this.pool.submit(wrapped).get(20, TimeUnit.SECONDS)).as("also after the call").isEqualTo(3);
	}

	@Test
	void wrappedTaskSeesWhenItsTermEnds() throws Exception {
		LeaderContext.Scope scope = LeaderContext.open(this.outer);
		Callable<Boolean> wrapped = LeaderContext.wrap((Callable<Boolean>) LeaderContext::isStillLeader);
		scope.close();
		assertThat(this.pool.submit(wrapped).get(20, TimeUnit.SECONDS)).isTrue();
		this.outer.end();
		assertThat(this.pool.submit(wrapped).get(20, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void wrappedTaskTakesThePlaceOfTheTermsThatAreThere() {
		LeaderContext.Scope outerScope = LeaderContext.open(this.outer);
		Runnable wrapped = LeaderContext
			.wrap((Runnable) () -> assertThat(LeaderContext.terms()).containsExactly(this.outer));
		outerScope.close();
		LeaderContext.Scope innerScope = LeaderContext.open(this.inner);
		wrapped.run();
		assertThat(LeaderContext.terms()).containsExactly(this.inner);
		innerScope.close();
	}

	@Test
	void taskThatWasWrappedOutsideOfCallsKnowsNoTerm() {
		Runnable wrapped = LeaderContext.wrap((Runnable) () -> assertThat(LeaderContext.terms()).isEmpty());
		LeaderContext.Scope scope = LeaderContext.open(this.outer);
		wrapped.run();
		assertThat(LeaderContext.terms()).containsExactly(this.outer);
		scope.close();
	}

	@Test
	void wrappedTaskThatFailsLeavesNothingBehind() {
		LeaderContext.Scope scope = LeaderContext.open(this.outer);
		Runnable wrapped = LeaderContext.wrap((Runnable) () -> {
			throw new IllegalStateException("own");
		});
		scope.close();
		assertThatIllegalStateException().isThrownBy(wrapped::run).withMessage("own");
	}

}
