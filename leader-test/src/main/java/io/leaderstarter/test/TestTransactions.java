package io.leaderstarter.test;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.util.ClassUtils;

/**
 * Knows of transactions that Spring's test support begins before a test and rolls back
 * after it. Work of the test joins them, and so nothing of it is ever refused.
 */
final class TestTransactions {

	private static final Log logger = LogFactory.getLog(TestTransactions.class);

	private static final boolean POSSIBLE = ClassUtils.isPresent("org.springframework.transaction.TransactionStatus",
			TestTransactions.class.getClassLoader());

	private TestTransactions() {
	}

	/**
	 * Warn if such a transaction is active.
	 * @param role the role whose lease runs out
	 */
	static void warnIfActive(String role) {
		if (POSSIBLE && TestTransaction.isActive()) {
			logger
				.warn(("A transaction of the test is active. Transactions of '%s' join it and are refused only when it commits, "
						+ "but it is rolled back after the test: a stale write is not refused. Remove @Transactional from the test, "
						+ "set @Transactional(propagation = Propagation.NOT_SUPPORTED) there, or end the transaction in the test by "
						+ "TestTransaction.flagForCommit() and TestTransaction.end()")
					.formatted(role));
		}
	}

}
