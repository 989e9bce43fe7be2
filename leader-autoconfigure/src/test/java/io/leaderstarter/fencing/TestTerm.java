package io.leaderstarter.fencing;

import java.time.Instant;
import java.util.UUID;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;

/**
 * A term whose end the test decides.
 */
final class TestTerm implements ActiveTerm {

	private final Leadership leadership;

	private volatile boolean valid = true;

	TestTerm(String role, long epoch) {
		this(new Leadership(role, epoch, UUID.randomUUID().toString(), "member-" + epoch, Instant.now()));
	}

	TestTerm(Leadership leadership) {
		this.leadership = leadership;
	}

	@Override
	public Leadership leadership() {
		return this.leadership;
	}

	@Override
	public boolean isValid() {
		return this.valid;
	}

	/** The member learns that its term is over. */
	void end() {
		this.valid = false;
	}

}
