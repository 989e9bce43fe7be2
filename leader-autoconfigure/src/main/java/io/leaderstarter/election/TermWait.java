package io.leaderstarter.election;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.RoleInput;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads wait until this member leads a role.
 */
final class TermWait {

	/** So long that it is for ever, and still fits into nanoseconds. */
	private static final Duration LONGEST = Duration.ofDays(36_500);

	private final RoleElection election;

	private final ReentrantLock lock;

	private final Condition changed;

	private final TimeSource time;

	private final RoleEffects effects;

	/** Lets those have their turn one after the other who work once. */
	private final ReentrantLock turn = new ReentrantLock();

	/**
	 * Create the wait.
	 * @param election the election for the role
	 * @param lock the lock that its changes are made under
	 * @param platform where threads wait, and the clocks that their time-outs are counted
	 * by
	 * @param effects what the member is asked for
	 */
	TermWait(RoleElection election, ReentrantLock lock, Platform platform, RoleEffects effects) {
		this.election = election;
		this.lock = lock;
		this.changed = platform.condition(lock);
		this.time = platform.processTime();
		this.effects = effects;
	}

	/** Wait for a term that lasts. */
	Optional<Leadership> await(Duration timeout) throws InterruptedException {
		long nanos = nanos(timeout);
		this.lock.lockInterruptibly();
		try {
			// Asked once, as its deadline could pass between two questions.
			Optional<Leadership> term = this.election.leadership();
			while (term.isEmpty() && nanos > 0 && !this.election.participation().isForgotten()
					&& !this.effects.isOver()) {
				nanos = this.changed.awaitNanos(nanos);
				term = this.election.leadership();
			}
			return term;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Wait for a term that lasts, and compete for the role meanwhile. */
	Optional<Leadership> contend(Duration timeout) throws InterruptedException {
		Participation participation = this.election.participation();
		participation.contend();
		try {
			return (!participation.isForgotten() && this.effects.wanted(this.election)) ? await(timeout)
					: Optional.empty();
		}
		finally {
			participation.endContention();
			if (!participation.isContended() && !this.election.isLeader() && !this.effects.competes(this.election)) {
				// What is being granted just now comes too late for every thread that
				// waited.
				this.election.apply(new RoleInput.Leave(RevocationReason.RESIGNED));
			}
			if (this.election.isGone()) {
				this.effects.roleLeft(this.election);
			}
		}
	}

	/**
	 * Wait for a term and does work under it, one after the other if several of this
	 * process want that.
	 */
	boolean runInTurn(Duration timeout, Runnable work) throws InterruptedException {
		long end = this.time.nanoTime() + nanos(timeout);
		if (!this.turn.tryLock(nanos(timeout), TimeUnit.NANOSECONDS)) {
			return false;
		}
		try {
			while (contend(Duration.ofNanos(end - this.time.nanoTime())).isPresent()) {
				// The term can be lost before the work begins; then there may be another.
				if (this.election.runIfLeader(work)) {
					return true;
				}
			}
			return false;
		}
		finally {
			this.turn.unlock();
		}
	}

	/**
	 * Wait for a term that a call can begin under.
	 * @param timeout how long to wait at most
	 * @param contending whether this member competes for the role meanwhile
	 * @return the call, {@code null} if there was none in time or the thread was
	 * interrupted, which it then still is
	 */
	@Nullable RoleCall enter(Duration timeout, boolean contending) {
		long end = this.time.nanoTime() + nanos(timeout);
		try {
			while (term(Duration.ofNanos(end - this.time.nanoTime()), contending).isPresent()) {
				RoleCall call = this.election.calls().begin();
				if (call != null) {
					return call;
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return null;
	}

	private Optional<Leadership> term(Duration timeout, boolean contending) throws InterruptedException {
		return contending ? contend(timeout) : await(timeout);
	}

	/** Wake all threads that wait: there is a term, or nothing to wait for any more. */
	void wake() {
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private static long nanos(Duration timeout) {
		return ((timeout.compareTo(LONGEST) < 0) ? timeout : LONGEST).toNanos();
	}

}
