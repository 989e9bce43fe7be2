package io.leaderstarter.test;

import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.test.Billing.Invoices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.transaction.BeforeTransaction;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that a test whose transaction never commits is warned that nothing is refused.
 */
@SpringBootTest(classes = Billing.class, properties = "spring.application.name=billing")
@ExtendWith(OutputCaptureExtension.class)
@Transactional
class TransactionalTestTests {

	private static final String WARNING = "A transaction of the test is active";

	@Autowired
	private ManualLeadership leadership;

	@Autowired
	private Invoices invoices;

	/** Other tests share the context. */
	@BeforeTransaction
	void clean() {
		this.invoices.deleteAll();
	}

	@Test
	void writeThatIsNeverRefusedIsWarnedOf(CapturedOutput output) {
		this.leadership.grant("invoices");
		this.leadership.expire("invoices");
		this.invoices.close();
		assertThat(this.invoices.epochs()).hasSize(1);
		assertThat(output).contains(WARNING, "TestTransaction.flagForCommit()");
	}

	@Test
	void whatTheWarningSaysHelps() {
		this.leadership.grant("invoices");
		this.leadership.expire("invoices");
		this.invoices.close();
		TestTransaction.flagForCommit();
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(TestTransaction::end);
		assertThat(this.invoices.epochs()).isEmpty();
	}

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void writeThatIsRefusedNeedsNoWarning(CapturedOutput output) {
		this.leadership.grant("invoices");
		this.leadership.expire("invoices");
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(this.invoices::close);
		assertThat(output).doesNotContain(WARNING);
	}

}
