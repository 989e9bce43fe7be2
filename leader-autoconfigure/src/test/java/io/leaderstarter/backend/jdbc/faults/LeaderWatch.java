package io.leaderstarter.backend.jdbc.faults;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.DefaultLeaderElections;

/**
 * Asks all members again and again who leads. Each round asks everybody twice: whoever
 * names one term both times has led from one to the other, so two who do have led at
 * once. Slowness of the machine makes it see less, but never something that was not.
 */
final class LeaderWatch implements AutoCloseable {

	private static final long PAUSE_NANOS = 500_000;

	private final List<String> roles;

	private final List<DefaultLeaderElections> members = new CopyOnWriteArrayList<>();

	private final Map<String, List<Leadership>> terms = new LinkedHashMap<>();

	private final Set<String> violations = new HashSet<>();

	private final Thread thread = new Thread(this::run, "leader-watch");

	private volatile boolean closed;

	LeaderWatch(List<String> roles) {
		this.roles = roles;
		roles.forEach((role) -> this.terms.put(role, new CopyOnWriteArrayList<>()));
		this.thread.setDaemon(true);
		this.thread.start();
	}

	List<String> roles() {
		return this.roles;
	}

	void add(DefaultLeaderElections member) {
		this.members.add(member);
	}

	List<Leadership> terms(String role) {
		return List.copyOf(this.terms.get(role));
	}

	Set<String> violations() {
		return this.violations;
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		while (!this.closed) {
			this.roles.forEach(this::poll);
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private void poll(String role) {
		List<Leadership> first = ask(role);
		List<Leadership> leading = ask(role);
		leading.retainAll(first);
		if (leading.size() > 1) {
			this.violations.add("Led at once: " + leading);
		}
		List<Leadership> known = this.terms.get(role);
		for (Leadership term : first) {
			if (!known.contains(term)) {
				if (!known.isEmpty() && known.get(known.size() - 1).epoch() >= term.epoch()) {
					this.violations.add("%s came after %s".formatted(term, known.get(known.size() - 1)));
				}
				known.add(term);
			}
		}
	}

	private List<Leadership> ask(String role) {
		List<Leadership> leading = new ArrayList<>();
		this.members.forEach((member) -> member.election(role).leadership().ifPresent(leading::add));
		return leading;
	}

}
