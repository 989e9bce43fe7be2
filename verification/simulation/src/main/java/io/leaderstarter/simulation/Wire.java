package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.StoreException;

/**
 * A network that loses, delays and repeats what is sent, as often as the schedule wants.
 */
final class Wire implements Network {

	private static final long LEAST_LATENCY = 100_000;

	private static final long MOST_LATENCY = 4_000_000;

	/** Requests that are made all the time. */
	private static final Set<String> ROUTINE = Set.of("observe", "renew", "announce");

	private static final boolean VERBOSE = Boolean.getBoolean("simulation.verbose");

	private final String server;

	private final Scheduler scheduler;

	private final Host host;

	private final SplittableRandom random;

	private final History history;

	/** How often something goes wrong, from 0 to 1. */
	private double noise;

	/** Whether nothing gets through. */
	private boolean cut;

	/** Whether answers take nearly as long as is waited for them. */
	private boolean slow;

	/** Which of the next requests is refused, zero for none. */
	private int refused;

	/**
	 * Create a network.
	 * @param server what is at the other end, for the history
	 * @param scheduler where it runs
	 * @param host the process at this end
	 * @param random makes its choices
	 * @param history records what goes wrong
	 */
	Wire(String server, Scheduler scheduler, Host host, SplittableRandom random, History history) {
		this.server = server;
		this.scheduler = scheduler;
		this.host = host;
		this.random = random;
		this.history = history;
	}

	void setNoise(double noise) {
		this.noise = noise;
	}

	void setCut(boolean cut) {
		this.cut = cut;
	}

	void setSlow(boolean slow) {
		this.slow = slow;
	}

	/**
	 * Refuse one of the next requests, as over a connection that died while it was idle.
	 */
	void refuse(int request) {
		this.refused = request;
	}

	@Override
	public <T> T call(String request, Duration timeout, Supplier<T> effect) {
		Fate fate = fate();
		if (fate == Fate.NONE && (VERBOSE || !ROUTINE.contains(request))) {
			this.history.add(this.host, () -> "request '%s' to the %s".formatted(request, this.server));
		}
		long latency = latency();
		long answer = this.scheduler.now() + latency + latency();
		if (fate == Fate.NONE && this.scheduler.isNothingUntil(answer)) {
			this.scheduler.advance(this.scheduler.now() + latency);
			T result = effect.get();
			if (this.scheduler.isNothingUntil(answer)) {
				this.scheduler.advance(answer);
				return result;
			}
			return exchange(request, timeout, (reply) -> reply.accept(result), Fate.NONE, 0);
		}
		return exchange(request, timeout, (reply) -> reply.accept(effect.get()), fate, latency);
	}

	/**
	 * Make a request that the server may answer later.
	 * @param handler what it does at the server
	 */
	<T> T exchange(String request, Duration timeout, Consumer<Consumer<T>> handler) {
		return exchange(request, timeout, handler, fate(), latency());
	}

	private <T> T exchange(String request, Duration timeout, Consumer<Consumer<T>> handler, Fate fate, long latency) {
		long patience = timeout.toNanos();
		if (fate != Fate.NONE) {
			this.history.add(this.host, () -> "request '%s' to the %s: %s".formatted(request, this.server, fate));
		}
		Exchange<T> exchange = new Exchange<>();
		if (fate == Fate.REFUSED) {
			this.host.sleep(latency);
			throw new StoreException("The connection was refused", null);
		}
		if (fate != Fate.REQUEST_LOST) {
			long arrival = this.scheduler.now()
					+ ((fate == Fate.REQUEST_LATE) ? this.random.nextLong(3 * patience) : latency);
			long back = switch (fate) {
				case ANSWER_SLOW -> this.random.nextLong(patience * 9 / 10);
				case ANSWER_LATE -> this.random.nextLong(3 * patience);
				default -> latency();
			};
			boolean answered = fate != Fate.ANSWER_LOST;
			this.scheduler.at(arrival, null, () -> handler.accept((answer) -> {
				if (answered && !this.cut) {
					this.scheduler.at(this.scheduler.now() + back, null, () -> exchange.answer(answer));
				}
			}));
			if (fate == Fate.REPEATED) {
				this.scheduler.at(arrival + this.random.nextLong(3 * patience), null,
						() -> handler.accept((ignored) -> {
						}));
			}
		}
		if (fate == Fate.HANG) {
			this.host.sleep(this.random.nextLong(4 * patience));
		}
		if (!exchange.answered) {
			this.host.block(patience, exchange.blocking);
		}
		if (!exchange.answered) {
			throw new StoreException("There was no answer in time", null);
		}
		return exchange.answer;
	}

	private Fate fate() {
		if (this.cut) {
			return this.random.nextBoolean() ? Fate.REQUEST_LOST : Fate.REFUSED;
		}
		if (this.refused > 0 && --this.refused == 0) {
			return Fate.REFUSED;
		}
		if (this.slow) {
			return Fate.ANSWER_SLOW;
		}
		if (this.noise > 0 && this.random.nextDouble() < this.noise) {
			return Fate.values()[1 + this.random.nextInt(Fate.values().length - 1)];
		}
		return Fate.NONE;
	}

	private long latency() {
		return LEAST_LATENCY + this.random.nextLong(MOST_LATENCY);
	}

	/** What happens to a request. */
	private enum Fate {

		NONE, REQUEST_LOST, REQUEST_LATE, REFUSED, REPEATED, ANSWER_LOST, ANSWER_SLOW, ANSWER_LATE, HANG

	}

	/** A request and its answer. */
	private final class Exchange<T> {

		private final Scheduler.Blocking blocking = new Scheduler.Blocking();

		private T answer;

		private boolean answered;

		private void answer(T answer) {
			this.answer = answer;
			this.answered = true;
			Wire.this.scheduler.unblock(this.blocking);
		}

	}

}
