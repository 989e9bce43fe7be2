package io.leaderstarter.election;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Why this member takes part in the election for a role, and for how long: because it
 * joined, because a thread waits for a term, or both.
 */
final class Participation {

	/** Threads that wait for a term. This member competes as long as there are some. */
	private final AtomicInteger contenders = new AtomicInteger();

	/** Whether this member competes whenever it may, not only while a thread waits. */
	private volatile boolean joined;

	/**
	 * Whether the role was left, and is to be forgotten as soon as nothing of it is held.
	 */
	private volatile boolean left;

	/** Whether the election is forgotten for good, and not polled any more. */
	private volatile boolean forgotten;

	private volatile boolean paused;

	private volatile @Nullable Moment backOffUntil;

	/** Make this member compete for the role whenever it may. */
	void join() {
		this.joined = true;
	}

	boolean isJoined() {
		return this.joined;
	}

	/** Make this member compete for the role as long as a thread waits. */
	void contend() {
		this.contenders.incrementAndGet();
	}

	void endContention() {
		this.contenders.decrementAndGet();
	}

	boolean isContended() {
		return this.contenders.get() > 0;
	}

	void leave() {
		this.left = true;
		this.joined = false;
	}

	/** Undo {@link #leave()}, as the role is needed again. */
	void comeBack() {
		this.left = false;
	}

	/** Whether the role is not needed any more. */
	boolean isGone() {
		return this.forgotten || (this.left && !isContended());
	}

	void forget() {
		this.forgotten = true;
	}

	boolean isForgotten() {
		return this.forgotten;
	}

	void pause() {
		this.paused = true;
	}

	void resume() {
		this.paused = false;
	}

	boolean isPaused() {
		return this.paused;
	}

	void backOffUntil(Moment end) {
		this.backOffUntil = end;
	}

	/** How long this member still lets others compete first. */
	Duration backOffLeft(Moment now) {
		Moment end = this.backOffUntil;
		return (end == null) ? Duration.ZERO : Duration.ofNanos(Math.max(0, end.nanos() - now.nanos()));
	}

}
