package io.leaderstarter.sample;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends the mails in the outbox. There is no transaction around it, as a mail cannot be
 * taken back; each statement of {@link FencedJdbcTemplate} is checked by itself.
 */
@Component
class OutboxJob {

	private final FencedJdbcTemplate jdbc;

	private final Mailer mailer;

	OutboxJob(FencedJdbcTemplate jdbc, Mailer mailer) {
		this.jdbc = jdbc;
		this.mailer = mailer;
	}

	@Scheduled(fixedDelayString = "${sample.pause}")
	@LeaderOnly("outbox")
	void sendMails() {
		// Reads need no fence.
		this.jdbc.unfenced()
			.query("select id, recipient, letter from outbox where sent_by is null fetch first 10 rows only",
					(row, number) -> new Mail(row.getString("id"), row.getString("recipient"), row.getString("letter")))
			.forEach(this::send);
	}

	private void send(Mail mail) {
		// No fence can stop a mail, so check the term as late as possible.
		LeaderContext.check();
		this.mailer.send(mail.recipient(), mail.letter());
		this.jdbc.update("update outbox set sent_by = ?, sent_at = current_timestamp(3) where id = ?",
				LeaderContext.epoch(), mail.id());
	}

	private record Mail(String id, String recipient, String letter) {
	}

}
