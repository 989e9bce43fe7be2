package io.leaderstarter.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.LeadershipRevokedEvent;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * An application as users have it: with a database, and no word about its tests.
 */
@SpringBootApplication
class Billing {

	@Component
	static class Invoices {

		private final JdbcTemplate jdbc;

		private final List<LeadershipRevokedEvent> revoked = new CopyOnWriteArrayList<>();

		private volatile Runnable meanwhile = () -> {
		};

		Invoices(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table if not exists invoice (epoch bigint)");
		}

		@LeaderOnly("invoices")
		@Transactional
		public void close() {
			this.jdbc.update("insert into invoice (epoch) values (?)", LeaderContext.epoch());
			this.meanwhile.run();
		}

		@LeaderOnly("reports")
		public void report() {
		}

		@EventListener
		public void on(LeadershipRevokedEvent event) {
			this.revoked.add(event);
		}

		public List<Long> epochs() {
			return this.jdbc.queryForList("select epoch from invoice order by epoch", Long.class);
		}

		public void deleteAll() {
			this.jdbc.update("delete from invoice");
		}

		public void whileClosing(Runnable meanwhile) {
			this.meanwhile = meanwhile;
		}

		public List<LeadershipRevokedEvent> revoked() {
			return this.revoked;
		}

	}

}
