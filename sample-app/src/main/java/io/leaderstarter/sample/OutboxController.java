package io.leaderstarter.sample;

import java.util.concurrent.CompletableFuture;

import io.leaderstarter.NotLeaderException;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lets mails be sent again, on the node that leads. Others say that they cannot.
 */
@RestController
@RequestMapping("/outbox")
class OutboxController {

	private final Outbox outbox;

	OutboxController(Outbox outbox) {
		this.outbox = outbox;
	}

	@PostMapping("/again")
	CompletableFuture<Integer> again(@RequestParam String recipient) {
		return this.outbox.sendAgain(recipient);
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
	String leadsNot(NotLeaderException ex) {
		return ex.getMessage();
	}

}
