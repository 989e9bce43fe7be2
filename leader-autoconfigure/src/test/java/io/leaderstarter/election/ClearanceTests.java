package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.TermGate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Clearance}.
 */
@Isolated("other tests log the same")
class ClearanceTests {

	private final ManualTime time = new ManualTime();

	private final Gate gate = new Gate();

	private final List<Runnable> tasks = new ArrayList<>();

	private final List<String> failures = new ArrayList<>();

	private final Clearance clearance = new Clearance(this.gate, this::runLater, this.time, Duration.ofSeconds(1),
			(role, reason) -> this.failures.add(role + ": " + reason), () -> {
			});

	private boolean noThread;

	@Test
	void roleIsClearedByOneAnswerOnce() {
		assertThat(judge(3).isKnown()).isFalse();
		ask();
		answer();
		assertThat(judge(3)).isEqualTo(Clearance.Verdict.CLEAR);
		assertThat(judge(3).isKnown()).isFalse();
		ask();
		answer();
		assertThat(judge(3)).isEqualTo(Clearance.Verdict.CLEAR);
	}

	@Test
	void storeThatKnowsLessThanTheGateIsObjectedTo() {
		this.gate.epoch = 4;
		ask();
		answer();
		assertThat(judge(3).objection()).contains("knows epoch 3 of 'role', but a fence has seen 4");
	}

	@Test
	void answerThatIsOldIsNotUsed() {
		ask();
		answer();
		this.time.pass(Duration.ofSeconds(6));
		assertThat(judge(3).isKnown()).isFalse();
	}

	@Test
	void answerToAQuestionFromBeforeTheRoleWasClearedIsNotUsed() {
		ask();
		answer();
		ask();
		this.gate.beforeItTells = () -> assertThat(judge(3)).isEqualTo(Clearance.Verdict.CLEAR);
		answer();
		// The term that began then is one that the answer does not know of.
		assertThat(judge(3).isKnown()).isFalse();
	}

	@Test
	void questionThatWasWaitingWhenTheRoleWasClearedIsNotUsed() {
		ask();
		answer();
		ask();
		assertThat(judge(3)).isEqualTo(Clearance.Verdict.CLEAR);
		answer();
		assertThat(judge(3).isKnown()).isFalse();
	}

	@Test
	void forgottenRoleIsAskedForAgain() {
		ask();
		answer();
		this.clearance.forget("role");
		assertThat(judge(3).isKnown()).isFalse();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void questionForWhichNoThreadCouldBeHadIsAskedAgain(CapturedOutput output) {
		this.noThread = true;
		ask();
		assertThat(this.tasks).isEmpty();
		assertThat(this.failures).singleElement().asString().contains("unable to create native thread");
		assertThat(output).containsOnlyOnce("no term could begin: unable to create native thread");
		this.noThread = false;
		ask();
		assertThat(this.tasks).as("tried again at once").isEmpty();
		this.time.pass(Duration.ofSeconds(2));
		ask();
		answer();
		assertThat(judge(3)).isEqualTo(Clearance.Verdict.CLEAR);
	}

	@Test
	void questionThatFailedSaysOnceWhenToAskAgain() {
		assertThat(this.clearance.untilRetry(this.time.now())).isNull();
		this.gate.beforeItTells = () -> {
			throw new IllegalStateException("the connection is closed");
		};
		ask();
		this.tasks.remove(0).run();
		assertThat(this.clearance.retries(this.time.now())).isFalse();
		Duration wait = this.clearance.untilRetry(this.time.now());
		assertThat(wait).isNotNull().isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
		this.time.pass(wait);
		assertThat(this.clearance.retries(this.time.now())).isTrue();
		assertThat(this.clearance.retries(this.time.now())).isFalse();
		assertThat(this.clearance.untilRetry(this.time.now())).isNull();
	}

	private void ask() {
		this.clearance.ask(List.of("role"));
	}

	private void runLater(Runnable task) {
		if (this.noThread) {
			throw new Error("unable to create native thread");
		}
		this.tasks.add(task);
	}

	private void answer() {
		this.tasks.remove(0).run();
		this.time.pass(Duration.ofMillis(1));
	}

	private Clearance.Verdict judge(long epoch) {
		this.time.pass(Duration.ofMillis(1));
		return this.clearance.judge(new LeaseView("role", epoch, null), this.time.now());
	}

	private static final class Gate implements TermGate {

		private long epoch = 3;

		private Runnable beforeItTells = () -> {
		};

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			this.beforeItTells.run();
			return Map.of("role", new Passed(this.epoch, null));
		}

		@Override
		public void open(Leadership leadership) {
		}

	}

}
