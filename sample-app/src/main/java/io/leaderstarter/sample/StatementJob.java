package io.leaderstarter.sample;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Registration;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Writes a statement for each customer once a day. That takes long, so it ends early when
 * this node leaves the role. A row records which statements are finished, and the job
 * runs all night, so the next leader continues where this one stopped.
 */
@Component
class StatementJob {

	private final FencedJdbcTemplate jdbc;

	private final Archive archive;

	StatementJob(FencedJdbcTemplate jdbc, Archive archive) {
		this.jdbc = jdbc;
		this.archive = archive;
	}

	@Scheduled(cron = "${sample.statements}")
	@LeaderOnly("invoices")
	void writeStatements() {
		for (String customer : this.jdbc.unfenced()
			.queryForList(
					"select distinct customer from invoice where customer not in "
							+ "(select customer from account_statement where written_on = current_date)",
					String.class)) {
			if (LeaderContext.isEnding()) {
				return;
			}
			write(customer);
		}
	}

	private void write(String customer) {
		Archive.Transfer transfer = this.archive.begin(customer);
		// While it waits for the archive it cannot check whether its term is over.
		Registration loss = LeaderContext.onCancel(transfer::abort);
		try {
			transfer.finish();
		}
		finally {
			loss.close();
		}
		this.jdbc.update("insert into account_statement (customer, written_on, written_by) values (?, current_date, ?)",
				customer, LeaderContext.epoch());
	}

}
