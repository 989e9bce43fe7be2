package io.leaderstarter.sample;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Closes invoices that are due. Every node has this job; only the leader runs it.
 */
@Component
class InvoiceJob {

	private static final Logger logger = LoggerFactory.getLogger(InvoiceJob.class);

	private final JdbcClient jdbc;

	InvoiceJob(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Scheduled(fixedDelay = 2000)
	@LeaderOnly("invoices")
	@Transactional
	void closeDueInvoices() {
		int closed = this.jdbc
			.sql("update invoice set closed_by = :epoch where closed_by is null and due < current_timestamp")
			.param("epoch", LeaderContext.epoch())
			.update();
		logger.info("Closed {} invoices as leader with epoch {}", closed, LeaderContext.epoch());
	}

}
