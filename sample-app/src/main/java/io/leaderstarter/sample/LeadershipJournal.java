package io.leaderstarter.sample;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.LeadershipRevokedEvent;

import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Records who led when, and why a term ended. Events are published outside of
 * transactions, so each listener begins one. Records of a term that is over must not be
 * refused, so they are not written under the role.
 */
@Component
class LeadershipJournal {

	private final JdbcClient jdbc;

	LeadershipJournal(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@EventListener
	@Transactional
	void granted(LeadershipGrantedEvent event) {
		Leadership term = event.leadership();
		this.jdbc.sql("insert into leadership (term_id, role_name, epoch, member) values (?, ?, ?, ?)")
			.params(term.termId(), term.role(), term.epoch(), term.member())
			.update();
	}

	@EventListener
	@Transactional
	void revoked(LeadershipRevokedEvent event) {
		this.jdbc.sql("update leadership set ended_at = current_timestamp(3), reason = ? where term_id = ?")
			.params(event.reason().name(), event.leadership().termId())
			.update();
	}

}
