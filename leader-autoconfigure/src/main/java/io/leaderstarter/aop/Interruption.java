package io.leaderstarter.aop;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Registration;

/**
 * Interrupts the thread of a call if its term is lost, but never after the call has
 * ended, when the thread may run other work.
 */
final class Interruption {

	private final Thread thread = Thread.currentThread();

	private final Registration registration;

	private boolean ended;

	private boolean interrupted;

	Interruption(ActiveTerm term) {
		this.registration = term.onCancel(this::interrupt);
	}

	private synchronized void interrupt() {
		if (!this.ended) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	/**
	 * End the interruption on the thread of the call, and clear its interrupt flag if it
	 * was set here.
	 */
	void end() {
		this.registration.close();
		synchronized (this) {
			this.ended = true;
			if (this.interrupted) {
				Thread.interrupted();
			}
		}
	}

}
