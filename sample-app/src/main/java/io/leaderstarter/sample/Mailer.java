package io.leaderstarter.sample;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Simulates a mail server.
 */
@Component
class Mailer {

	private static final Logger logger = LoggerFactory.getLogger(Mailer.class);

	private final Duration takes;

	Mailer(@Value("${sample.mail-takes}") Duration takes) {
		this.takes = takes;
	}

	void send(String recipient, String letter) {
		Paperwork.pause(this.takes);
		logger.info("Sent to {}: {}", recipient, letter);
	}

}
