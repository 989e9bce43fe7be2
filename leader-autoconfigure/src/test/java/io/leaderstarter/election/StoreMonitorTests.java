package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreMonitor}.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class StoreMonitorTests {

	private static final Duration TTL = Duration.ofSeconds(15);

	private final ManualTime time = new ManualTime();

	private final StoreMonitor monitor = new StoreMonitor("test", this.time, TTL);

	@Test
	void outageIsToldOnceUntilItIsOver(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			this.monitor.failed("renew", this.time.now(), new IllegalStateException("no route"));
		}
		assertThat(this.monitor.status().failure()).isEqualTo("no route");
		this.monitor.answered("renew", this.time.now());
		this.monitor.answered("renew", this.time.now());
		assertThat(this.monitor.status().isReachable()).isTrue();
		assertThat(output.getOut().lines().filter((line) -> line.contains("did not answer"))).hasSize(1);
		this.monitor.failed("renew", this.time.now(), new IllegalStateException("no route"));
		assertThat(output.getOut().lines().filter((line) -> line.contains("did not answer"))).hasSize(2);
	}

	@Test
	void requestThatAlwaysFailsIsToldOnceThoughOthersAreAnswered(CapturedOutput output) {
		Logger logger = (Logger) LoggerFactory.getLogger(StoreMonitor.class);
		logger.setLevel(Level.INFO);
		for (int i = 0; i < 5; i++) {
			this.monitor.answered("observe", this.time.now());
			this.monitor.failed("acquire", this.time.now(), new IllegalStateException("permission denied"));
			assertThat(this.monitor.status().failure()).isEqualTo("permission denied");
		}
		this.monitor.answered("observe", this.time.now());
		assertThat(logged(output, "did not answer 'acquire'")).isOne();
		assertThat(logged(output, "answers again")).isOne();
		this.monitor.failed("acquire", this.time.now(), new IllegalStateException("no route"));
		assertThat(logged(output, "did not answer 'acquire'")).as("for another reason").isEqualTo(2);
		this.monitor.answered("acquire", this.time.now());
		this.monitor.failed("acquire", this.time.now(), new IllegalStateException("no route"));
		assertThat(logged(output, "did not answer 'acquire'")).as("after an answer").isEqualTo(3);
		logger.setLevel(null);
	}

	private static long logged(CapturedOutput output, String text) {
		return output.getOut().lines().filter((line) -> line.contains(text)).count();
	}

	@Test
	void renewalsThatComeLateAreToldOnceUntilOneIsInTime(CapturedOutput output) {
		renew(Duration.ofSeconds(9));
		assertThat(output).doesNotContain("before their end");
		renew(Duration.ofSeconds(4));
		renew(Duration.ofSeconds(3));
		renew(Duration.ofSeconds(10));
		renew(Duration.ofSeconds(2));
		assertThat(output.getOut().lines().filter((line) -> line.contains("before their end"))).hasSize(2)
			.first()
			.asString()
			.contains("4000 ms")
			.contains("leader.lease.ttl");
		assertThat(this.monitor.status().leastLeft()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void renewalThatIsAnsweredAfterTheEndIsToldAsSuch(CapturedOutput output) {
		renew(Duration.ofMillis(-12));
		assertThat(output).contains("renewed 12 ms after their end").doesNotContain("-12");
		assertThat(this.monitor.status().leastLeft()).isZero();
	}

	@Test
	void outageIsCountedFromItsBeginningThoughThereNeverWasAnAnswer() {
		assertThat(this.monitor.status().failsFor()).isNull();
		for (int i = 0; i < 3; i++) {
			this.monitor.failed("observe", this.time.now(), new IllegalStateException("no route"));
			this.time.pass(Duration.ofSeconds(2));
		}
		assertThat(this.monitor.status().sinceAnswer()).isNull();
		assertThat(this.monitor.status().failsFor()).isEqualTo(Duration.ofSeconds(6));
		this.monitor.answered("observe", this.time.now());
		assertThat(this.monitor.status().failsFor()).isNull();
	}

	@Test
	void noCredentialsAreTold(CapturedOutput output) {
		this.monitor.failed("renew", this.time.now(), new IllegalStateException(
				"no route to jdbc:postgresql://me:s3cret@db/app?user=me&password=s3cret&ssl=true, nor http://me:s3cret@host"));
		assertThat(this.monitor.status().failure())
			.isEqualTo("no route to jdbc:postgresql://***@db/app?user=me&password=***&ssl=true, nor http://***@host");
		assertThat(output).contains("no route").doesNotContain("s3cret");
	}

	@Test
	void lastRenewalIsKnown() {
		Moment sent = this.time.now();
		this.time.pass(Duration.ofMillis(30));
		this.monitor.renewed(sent, Duration.ofSeconds(9));
		StoreStatus.LastRenewal last = this.monitor.status().lastRenewal();
		assertThat(last.took()).isEqualTo(Duration.ofMillis(30));
		assertThat(last.at().toEpochMilli()).isEqualTo(this.time.currentTimeMillis());
	}

	@Test
	void listenersHearOfEveryRequest() {
		List<String> requests = new ArrayList<>();
		this.monitor.addListener((request, took, answered) -> requests.add(request + " " + answered));
		this.monitor.answered("observe", this.time.now());
		this.monitor.failed("acquire", this.time.now(), new IllegalStateException());
		this.monitor.renewed(this.time.now(), TTL);
		assertThat(requests).containsExactly("observe true", "acquire false", "renew true");
	}

	@Test
	void roleIsBlockedFromItsFirstFailureUntilSomebodyLeads() {
		this.monitor.blocked("role", "the fence is away");
		this.time.pass(Duration.ofSeconds(20));
		this.monitor.blocked("role", "the fence is held up");
		assertThat(this.monitor.status().blocked()).containsEntry("role",
				new StoreStatus.Blocked("the fence is held up", Duration.ofSeconds(20)));
		this.monitor.led("role");
		assertThat(this.monitor.status().blocked()).isEmpty();
	}

	@Test
	void whatIsStoredCannotWriteLinesOfTheLog(CapturedOutput output) {
		LeaseView.Expiry expiry = new LeaseView.Expiry(1, Duration.ofDays(1), Duration.ofDays(1));
		LeaseView view = new LeaseView("role", 7,
				new LeaseView.Owner("evil\n2026-01-01 ERROR all is lost \u202e\u001b[31m", "term", expiry));
		this.monitor.waits(view, Duration.ofDays(1));
		assertThat(output.getOut().lines().filter((line) -> line.contains("evil"))).singleElement()
			.asString()
			.contains("evil?2026-01-01 ERROR all is lost ??[31m");
	}

	private void renew(Duration left) {
		this.monitor.renewed(this.time.now(), left);
	}

}
