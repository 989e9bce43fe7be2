package io.leaderstarter.election;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Why this member takes part in the election for a role, and for how long: because it
 * joined, because somebody waits for a term, or both.
 */
final class Participation {

	/** Those who wait for a term, and let this member stand for that long. */
	private final AtomicInteger contenders = new AtomicInteger();

	/** Whether this member stands whenever it may, and not only while somebody waits. */
	private volatile boolean joined;

	/** Whether the role was left and is done with as soon as nothing of it is held. */
	private volatile boolean left;

	/** Whether it is done with, for good: nobody looks at the election any more. */
	private volatile boolean forgotten;

	private volatile boolean paused;

	private volatile @Nullable Moment backOffUntil;

	/** Makes this member stand for the role whenever it may. */
	void join() {
		this.joined = true;
	}

	boolean isJoined() {
		return this.joined;
	}

	/** Lets this member stand for the role as long as somebody waits. */
	void contend() {
		this.contenders.incrementAndGet();
	}

	void contendNoMore() {
		this.contenders.decrementAndGet();
	}

	boolean isContended() {
		return this.contenders.get() > 0;
	}

	void leave() {
		this.left = true;
		this.joined = false;
	}

	/** Takes back that the role was left, as somebody needs it again. */
	void comeBack() {
		this.left = false;
	}

	/** Whether nobody needs the role any more. */
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
