package io.leaderstarter.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.TermGate;

/**
 * A fenced database: the row of each role, and the locks on it. A raise waits until no
 * transaction holds the row; a transaction that has checked the row holds it until it
 * ends.
 */
final class FenceServer {

	/** After that an idle transaction is ended. */
	private static final long IDLE_TIMEOUT = 3_000_000_000L;

	private final Scheduler scheduler;

	private final Consumer<Leadership> onCommit;

	private final Map<String, Row> rows = new TreeMap<>();

	private final List<Transaction> transactions = new ArrayList<>();

	/**
	 * Create a database without fences.
	 * @param scheduler where it runs
	 * @param onCommit called for each commit
	 */
	FenceServer(Scheduler scheduler, Consumer<Leadership> onCommit) {
		this.scheduler = scheduler;
		this.onCommit = onCommit;
	}

	Map<String, TermGate.Passed> read(Collection<String> roles) {
		Map<String, TermGate.Passed> passed = new HashMap<>();
		for (String role : roles) {
			Row row = this.rows.get(role);
			if (row != null) {
				passed.put(role, new TermGate.Passed(row.epoch, null));
			}
		}
		return passed;
	}

	/** Raise a row when no transaction holds it, and answer whether it is raised then. */
	void raise(Leadership leadership, Consumer<Boolean> reply) {
		Row row = row(leadership);
		Runnable raise = () -> {
			if (leadership.epoch() > row.epoch) {
				row.epoch = leadership.epoch();
				row.termId = leadership.termId();
			}
			reply.accept(row.isRaisedFor(leadership));
		};
		if (row.holders > 0 || !row.waiting.isEmpty()) {
			row.waiting.add(raise);
		}
		else {
			raise.run();
		}
	}

	/**
	 * Check the row and hold it, for a transaction that commits later.
	 * @param reply gets the transaction, {@code null} if the term is not the one of the
	 * row
	 */
	void check(Host host, Leadership leadership, Consumer<Transaction> reply) {
		Row row = row(leadership);
		Runnable check = () -> reply
			.accept(row.isRaisedFor(leadership) && !host.isDead() ? new Transaction(host, row, leadership) : null);
		if (row.waiting.isEmpty()) {
			check.run();
		}
		else {
			row.waiting.add(check);
		}
	}

	/** End the transactions of a process that has ended, as its connections have. */
	void disconnect(Host host) {
		List.copyOf(this.transactions).stream().filter((open) -> open.host == host).forEach(Transaction::end);
	}

	/** Another transaction holds a row for a while. */
	void hold(String role, long nanos) {
		Row row = this.rows.computeIfAbsent(role, (key) -> new Row());
		row.holders++;
		this.scheduler.at(this.scheduler.now() + nanos, null, row::release);
	}

	private Row row(Leadership leadership) {
		return this.rows.computeIfAbsent(leadership.role(), (key) -> new Row());
	}

	private static final class Row {

		private final Deque<Runnable> waiting = new ArrayDeque<>();

		private long epoch;

		private String termId = "";

		private int holders;

		private boolean isRaisedFor(Leadership leadership) {
			return this.epoch == leadership.epoch() && this.termId.equals(leadership.termId());
		}

		private void release() {
			this.holders--;
			while (this.holders == 0 && !this.waiting.isEmpty()) {
				this.waiting.remove().run();
			}
		}

	}

	/** A transaction that has checked its term. */
	final class Transaction {

		private final Host host;

		private final Row row;

		private final Leadership leadership;

		private boolean ended;

		private Transaction(Host host, Row row, Leadership leadership) {
			FenceServer.this.transactions.add(this);
			this.host = host;
			this.row = row;
			this.leadership = leadership;
			row.holders++;
			FenceServer.this.scheduler.at(FenceServer.this.scheduler.now() + IDLE_TIMEOUT, null, this::end);
		}

		/** Commit, and answer whether it could. */
		boolean commit() {
			if (this.ended) {
				return false;
			}
			FenceServer.this.onCommit.accept(this.leadership);
			end();
			return true;
		}

		void end() {
			if (!this.ended) {
				this.ended = true;
				FenceServer.this.transactions.remove(this);
				this.row.release();
			}
		}

	}

}
