package io.leaderstarter.testsupport;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.Registration;

/**
 * A term that lasts until the test ends it. It is of no store, or of the one that the
 * system property {@code test.terms} names.
 */
public final class TestTerm implements ActiveTerm {

	private final Leadership leadership;

	private final List<Runnable> actions = new CopyOnWriteArrayList<>();

	private volatile boolean valid = true;

	private volatile boolean leaving;

	public TestTerm(String role, long epoch) {
		this(leadership(role, epoch));
	}

	public TestTerm(Leadership leadership) {
		this.leadership = leadership;
	}

	private static Leadership leadership(String role, long epoch) {
		String store = System.getProperty("test.terms");
		return (store != null) ? StoreTerms.of(store).take(role, epoch)
				: new Leadership(role, epoch, UUID.randomUUID().toString(), "member-" + epoch, Instant.now());
	}

	@Override
	public Leadership leadership() {
		return this.leadership;
	}

	@Override
	public boolean isValid() {
		return this.valid;
	}

	@Override
	public boolean isEnding() {
		return this.leaving || !this.valid;
	}

	@Override
	public Registration onCancel(Runnable action) {
		this.actions.add(action);
		return () -> this.actions.remove(action);
	}

	/** The member begins to leave. */
	public void leave() {
		this.leaving = true;
	}

	/** The member learns that its term is over. */
	public void end() {
		this.valid = false;
		this.actions.forEach(Runnable::run);
	}

}
