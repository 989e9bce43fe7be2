package io.leaderstarter.sample;

import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Simulates slow work between reading and writing, during which a process may be paused:
 * a PDF, a tax service, a garbage collection.
 */
@Component
class Paperwork {

	private final Duration takes;

	Paperwork(@Value("${sample.paperwork-takes}") Duration takes) {
		this.takes = takes;
	}

	List<String> write(List<Invoice> invoices) {
		pause(this.takes);
		return invoices.stream()
			.map((invoice) -> "Dear %s, please pay %s.".formatted(invoice.customer(), invoice.amount()))
			.toList();
	}

	static void pause(Duration duration) {
		try {
			Thread.sleep(duration.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted at work", ex);
		}
	}

}
