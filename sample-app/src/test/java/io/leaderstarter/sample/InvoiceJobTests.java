package io.leaderstarter.sample;

import java.util.List;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.test.LeadsEverything;
import io.leaderstarter.test.ManualLeadership;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link InvoiceJob}, as tests of an application are written: the test decides
 * who leads.
 */
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:job", "sample.pause=1h" })
@LeadsEverything
class InvoiceJobTests {

	@Autowired
	private InvoiceJob job;

	@Autowired
	private ManualLeadership leadership;

	@Autowired
	private LeaderElections elections;

	@Autowired
	private JdbcClient jdbc;

	@MockitoBean
	private Paperwork paperwork;

	@BeforeEach
	void oneInvoiceIsDue() {
		this.jdbc.sql("delete from outbox").update();
		this.jdbc.sql("delete from invoice").update();
		this.jdbc.sql("insert into invoice (id, customer, amount, due) values ('1', 'Ann', 10, '2020-01-01')").update();
		given(this.paperwork.write(any())).willReturn(List.of("Dear Ann"));
	}

	@Test
	void leaderClosesWhatIsDueUnderItsEpoch() {
		this.job.closeDueInvoices();
		assertThat(closedBy()).isEqualTo(this.elections.election("invoices").leadership().orElseThrow().epoch());
	}

	@Test
	void followerDoesNothing() {
		this.leadership.revoke("invoices");
		this.job.closeDueInvoices();
		assertThat(closedBy()).isNull();
	}

	@Test
	void nothingIsLeftOfWhatAZombieWrote() {
		given(this.paperwork.write(any())).willAnswer((call) -> {
			// It is paused while it writes its letters, for longer than its lease.
			this.leadership.expire("invoices");
			return List.of("Dear Ann");
		});
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(this.job::closeDueInvoices);
		assertThat(closedBy()).isNull();
		assertThat(this.jdbc.sql("select count(*) from outbox").query(Long.class).single()).isZero();
	}

	private Long closedBy() {
		return this.jdbc.sql("select closed_by from invoice").query(Long.class).optional().orElse(null);
	}

}
