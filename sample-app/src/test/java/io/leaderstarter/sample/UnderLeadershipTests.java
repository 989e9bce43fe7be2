package io.leaderstarter.sample;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.test.LeadsEverything;
import io.leaderstarter.test.ManualLeadership;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * Tests for what the sample does under leadership beside its two jobs.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:under", "sample.pause=1h", "sample.statements=-" })
@LeadsEverything
class UnderLeadershipTests {

	@Autowired
	private ManualLeadership leadership;

	@Autowired
	private LeaderElections elections;

	@Autowired
	private StatementJob statements;

	@Autowired
	private Tenants tenants;

	@Autowired
	private Outbox outbox;

	@Autowired
	private JdbcClient jdbc;

	@MockitoBean
	private Archive archive;

	@LocalServerPort
	private int port;

	@BeforeEach
	void threeCustomers() {
		List.of("invoice", "outbox", "account_statement", "tenant")
			.forEach((table) -> this.jdbc.sql("delete from " + table).update());
		List.of("Ada", "Grace", "Leslie")
			.forEach((customer) -> this.jdbc.sql("insert into invoice (id, customer, amount) values (?, ?, 10)")
				.params(customer, customer)
				.update());
		given(this.archive.begin(any())).willAnswer((call) -> new Archive.Transfer(Duration.ZERO));
	}

	@Test
	void eachCustomerGetsOneStatement() {
		this.statements.writeStatements();
		this.statements.writeStatements();
		assertThat(count("account_statement where written_by = " + epoch("invoices"))).isEqualTo(3);
	}

	@Test
	void runEndsEarlyIfTheNodeLeavesAndTheNextLeaderGoesOn() {
		given(this.archive.begin(any())).willAnswer((call) -> {
			this.elections.election("invoices").resign();
			return new Archive.Transfer(Duration.ZERO);
		});
		this.statements.writeStatements();
		assertThat(count("account_statement")).isOne();
		given(this.archive.begin(any())).willAnswer((call) -> new Archive.Transfer(Duration.ZERO));
		// A node that resigned backs off for a while.
		this.leadership.advance(Duration.ofMinutes(1));
		this.leadership.grant("invoices");
		this.statements.writeStatements();
		assertThat(count("account_statement")).isEqualTo(3);
	}

	@Test
	void transferIsAbortedIfTheTermIsLost() {
		given(this.archive.begin(any())).willAnswer((call) -> {
			this.leadership.revoke("invoices");
			return new Archive.Transfer(Duration.ofMinutes(5));
		});
		assertThatIllegalStateException().isThrownBy(this.statements::writeStatements)
			.withMessage("The transfer was aborted");
		assertThat(count("account_statement")).isZero();
	}

	@Test
	void rolesOfTenantsAreJoinedAndLeft() {
		this.jdbc.sql("insert into tenant (name) values ('acme')").update();
		this.tenants.serve();
		soon().until(() -> this.elections.election("tenant-acme").isLeader());
		this.tenants.serve();
		assertThat(count("tenant where served_by = " + epoch("tenant-acme"))).isOne();
		this.jdbc.sql("delete from tenant").update();
		this.tenants.serve();
		soon().until(() -> this.elections.all().stream().map(LeaderElection::role).noneMatch("tenant-acme"::equals));
	}

	@Test
	void termGoesAlongToAnotherThread() throws Exception {
		this.jdbc.sql(
				"insert into outbox (id, invoice, recipient, letter, sent_by) values ('1', 'Ada', 'Ada', 'Dear Ada', 1)")
			.update();
		assertThat(this.outbox.sendAgain("Ada").get()).isOne();
		assertThat(count("outbox where sent_by is null")).isOne();
		this.leadership.revoke("outbox");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> this.outbox.sendAgain("Ada").get())
			.withCauseInstanceOf(NotLeaderException.class);
	}

	@Test
	void mailsCannotBeSentAgainWithoutLeading() {
		this.leadership.revoke("outbox");
		RestClient client = RestClient.create("http://localhost:" + this.port);
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
			.isThrownBy(() -> client.post().uri("/outbox/again?recipient=Ada").retrieve().toBodilessEntity());
	}

	@Test
	void journalKnowsWhoLedAndWhyThatEnded() {
		String termId = this.elections.election("invoices").leadership().orElseThrow().termId();
		soon().until(() -> count("leadership where ended_at is null and term_id = '%s'".formatted(termId)) == 1);
		this.elections.election("invoices").resign();
		soon().until(() -> count("leadership where reason = 'RESIGNED' and term_id = '%s'".formatted(termId)) == 1);
	}

	@Test
	void nodeThatIsLookedAfterStandsForNothing() {
		RestClient client = RestClient.create("http://localhost:" + this.port + "/maintenance");
		client.post().retrieve().toBodilessEntity();
		soon().until(() -> this.elections.all().stream().noneMatch(LeaderElection::isLeader));
		assertThat(this.elections.all()).allMatch(LeaderElection::isPaused);
		client.delete().retrieve().toBodilessEntity();
		assertThat(this.elections.all()).noneMatch(LeaderElection::isPaused);
		this.leadership.grant("invoices");
		client.post().uri("/resign?role=invoices").retrieve().toBodilessEntity();
		soon().until(() -> !this.elections.election("invoices").isLeader());
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(30));
	}

	private long epoch(String role) {
		return this.elections.election(role).leadership().orElseThrow().epoch();
	}

	private long count(String from) {
		return this.jdbc.sql("select count(*) from " + from).query(Long.class).single();
	}

}
