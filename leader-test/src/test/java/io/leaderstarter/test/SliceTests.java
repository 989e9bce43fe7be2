package io.leaderstarter.test;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.test.Billing.Invoices;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that slices, which leave most auto-configurations out, know who leads.
 */
class SliceTests {

	@JdbcTest(properties = "spring.application.name=slice")
	@Import(Invoices.class)
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	static class DatabaseSliceTests {

		@Autowired
		private Invoices invoices;

		@Autowired
		private ManualLeadership leadership;

		@Test
		void memberLeadsNothingByItself() {
			this.invoices.close();
			assertThat(this.invoices.epochs()).isEmpty();
		}

		@Test
		@LeadsEverything
		void memberLeadsEverything(@Autowired LeaderElections elections) {
			this.invoices.close();
			assertThat(this.invoices.epochs())
				.containsExactly(elections.election("invoices").leadership().orElseThrow().epoch());
			this.invoices.deleteAll();
		}

		@Test
		@LeadsEverything
		void writeOfAZombieIsRefused() {
			this.leadership.expire("invoices");
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(this.invoices::close);
			assertThat(this.invoices.epochs()).isEmpty();
		}

		@Nested
		class InNestedClassTests {

			@Test
			void memberLeadsNothingByItself() {
				DatabaseSliceTests.this.invoices.close();
				assertThat(DatabaseSliceTests.this.invoices.epochs()).isEmpty();
			}

		}

	}

	@WebMvcTest
	@ContextConfiguration(classes = { WebSliceTests.WebApplication.class, WebSliceTests.Reports.class })
	static class WebSliceTests {

		@Autowired
		private MockMvcTester mvc;

		@Test
		@LeadsEverything
		void leaderAnswers() {
			assertThat(this.mvc.get().uri("/report")).hasStatusOk().hasBodyTextEqualTo("report");
		}

		@Test
		void followerDoesNot(@Autowired Reports reports) {
			assertThat(reports.isRun()).isFalse();
			assertThat(this.mvc.get().uri("/report")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		}

		@Configuration(proxyBeanMethods = false)
		static class WebApplication {

		}

		@RestController
		static class Reports {

			private boolean run;

			@GetMapping("/report")
			@LeaderOnly("reports")
			public String report() {
				this.run = true;
				return "report";
			}

			public boolean isRun() {
				return this.run;
			}

		}

	}

}
