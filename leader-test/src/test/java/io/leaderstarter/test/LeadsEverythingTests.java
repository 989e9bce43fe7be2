package io.leaderstarter.test;

import java.util.List;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.test.Billing.Invoices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeadsEverything}: what one test does to leadership is not seen by the
 * next, though they share a context.
 */
@SpringBootTest(properties = "spring.application.name=billing")
@LeadsEverything
class LeadsEverythingTests {

	@Autowired
	private LeaderElections elections;

	@Autowired
	private ManualLeadership leadership;

	@Autowired
	private Invoices invoices;

	@AfterEach
	void spoil() {
		this.leadership.disconnect();
	}

	@RepeatedTest(3)
	void everyTestBeginsAsLeader() {
		this.invoices.deleteAll();
		this.invoices.close();
		List<Long> epochs = this.invoices.epochs();
		assertThat(epochs).containsExactly(this.elections.election("invoices").leadership().orElseThrow().epoch());
		this.leadership.expire("reports");
		this.elections.election("invoices").resign();
		this.elections.pause();
	}

}
