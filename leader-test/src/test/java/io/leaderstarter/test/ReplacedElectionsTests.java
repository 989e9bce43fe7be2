package io.leaderstarter.test;

import java.util.Map;
import java.util.Optional;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Member;
import io.leaderstarter.test.Billing.Invoices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.doReturn;

/**
 * Tests that the elections may be replaced in tests, for the code that asks them.
 */
class ReplacedElectionsTests {

	@Nested
	@SpringBootTest(classes = Billing.class, properties = "spring.application.name=billing")
	class ByAMockTests {

		@MockitoBean
		private LeaderElections elections;

		@Autowired
		private ManualLeadership leadership;

		@Autowired
		private Invoices invoices;

		@AfterEach
		void clean() {
			this.invoices.deleteAll();
		}

		@Test
		void codeGetsTheMockAndLeaderOnlyGoesOn() {
			Member member = Member.start("other", Map.of());
			given(this.elections.leader(anyString())).willReturn(Optional.of(member));
			assertThat(this.elections.leader("any")).containsSame(member);
			this.invoices.close();
			assertThat(this.invoices.epochs()).isEmpty();
			this.leadership.grant("invoices");
			this.invoices.close();
			assertThat(this.invoices.epochs()).hasSize(1);
		}

	}

	@Nested
	@SpringBootTest(classes = Billing.class, properties = "spring.application.name=billing")
	class ByASpyTests {

		@MockitoSpyBean
		private LeaderElections elections;

		@Autowired
		private ManualLeadership leadership;

		@Test
		void spySeesTheElections() {
			this.leadership.grant("invoices");
			assertThat(this.elections.election("invoices").isLeader()).isTrue();
			doReturn(Optional.empty()).when(this.elections).leader("invoices");
			assertThat(this.elections.leader("invoices")).isEmpty();
		}

	}

}
