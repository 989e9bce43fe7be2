package io.leaderstarter.chaos.app;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Member;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.StaleLeaderException;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The jobs, each of a role of its own.
 */
@Component
public class Jobs {

	/** The roles, which are the names of the accounts too. */
	public static final List<String> ROLES = List.of("jpa", "client", "template", "fenced");

	private static final int MILLIS_BETWEEN = 10;

	private final Accounts accounts;

	private final History history;

	private final String process;

	private final Random random;

	private final Duration ttl;

	private final AtomicLong count = new AtomicLong();

	Jobs(Accounts accounts, History history, @Value("${chaos.process}") String process,
			@Value("${chaos.seed}") long seed, @Value("${leader.lease.ttl}") Duration ttl) {
		this.accounts = accounts;
		this.history = history;
		this.process = process;
		this.random = new Random(seed);
		this.ttl = ttl;
	}

	@Scheduled(fixedDelay = MILLIS_BETWEEN)
	@LeaderOnly("jpa")
	public void jpa() {
		run(this.accounts::addByJpa);
	}

	@Scheduled(fixedDelay = MILLIS_BETWEEN)
	@LeaderOnly("client")
	public void client() {
		run(this.accounts::addByClient);
	}

	@Scheduled(fixedDelay = MILLIS_BETWEEN)
	@LeaderOnly("template")
	public void template() {
		run(this.accounts::addByTemplate);
	}

	@Scheduled(fixedDelay = MILLIS_BETWEEN)
	@LeaderOnly("fenced")
	public void fenced() {
		run(this.accounts::addByFencedTemplate);
	}

	private void run(Consumer<Operation> work) {
		Operation operation = new Operation(this.process + "-" + this.count.incrementAndGet(), this.random,
				this.ttl.toMillis());
		Operation.Outcome outcome = Operation.Outcome.UNKNOWN;
		try {
			work.accept(operation);
			outcome = Operation.Outcome.COMMITTED;
		}
		catch (StaleLeaderException | NotLeaderException ex) {
			outcome = Operation.Outcome.REFUSED;
		}
		catch (RuntimeException ex) {
			// The database or the way to it failed, which is what is done to it here.
		}
		finally {
			this.history.ended(operation, outcome);
		}
	}

}
