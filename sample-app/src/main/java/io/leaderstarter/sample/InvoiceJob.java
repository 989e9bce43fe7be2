package io.leaderstarter.sample;

import java.util.List;
import java.util.UUID;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Closes invoices that are due, and adds a mail for each to the outbox. Every node has
 * this job; only the leader runs it. All writes are one transaction, which the fence
 * checks just before it commits: it is rolled back if the term of this node is over.
 */
@Component
class InvoiceJob {

	private static final Logger logger = LoggerFactory.getLogger(InvoiceJob.class);

	private final JdbcClient jdbc;

	private final Paperwork paperwork;

	InvoiceJob(JdbcClient jdbc, Paperwork paperwork) {
		this.jdbc = jdbc;
		this.paperwork = paperwork;
	}

	@Scheduled(fixedDelayString = "${sample.pause}")
	@LeaderOnly("invoices")
	@Transactional
	void closeDueInvoices() {
		List<Invoice> due = findDue();
		if (due.isEmpty()) {
			return;
		}
		List<String> letters = this.paperwork.write(due);
		for (int i = 0; i < due.size(); i++) {
			close(due.get(i), letters.get(i));
		}
		logger.info("Closed {} invoices as leader with epoch {}", due.size(), LeaderContext.epoch());
	}

	private List<Invoice> findDue() {
		return this.jdbc
			.sql("select id, customer, amount from invoice where closed_by is null and due <= current_timestamp(3) "
					+ "order by due, id fetch first 10 rows only")
			.query((row, number) -> new Invoice(row.getString("id"), row.getString("customer"),
					row.getBigDecimal("amount")))
			.list();
	}

	private void close(Invoice invoice, String letter) {
		this.jdbc.sql("update invoice set closed_by = :epoch, closed_at = current_timestamp(3) where id = :id")
			.param("epoch", LeaderContext.epoch())
			.param("id", invoice.id())
			.update();
		this.jdbc.sql("insert into outbox (id, invoice, recipient, letter) values (:id, :invoice, :customer, :letter)")
			.param("id", UUID.randomUUID().toString())
			.param("invoice", invoice.id())
			.param("customer", invoice.customer())
			.param("letter", letter)
			.update();
	}

}
