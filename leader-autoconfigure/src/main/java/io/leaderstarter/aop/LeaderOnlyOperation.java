package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.RoleElection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The resolved {@code @LeaderOnly} of a method.
 *
 * @param method the method
 * @param election the role that must be led
 * @param fallback the result of a call on a member that does not lead
 * @param admission which calls may begin
 * @param interrupts whether a call is interrupted if its term is lost
 * @param shape how the method returns its result
 */
record LeaderOnlyOperation(Method method, RoleElection election, Fallback fallback, Admission admission,
		boolean interrupts, CallShape shape) {

	private static final Log logger = LogFactory.getLog(LeaderOnlyOperation.class);

	/**
	 * Begin a call if this member leads, or leads within the waiting time, and if it is
	 * due.
	 */
	@Nullable RoleCall enter() {
		RoleCall call = this.election.enter(this.admission.waitUpTo(), this.admission.competing());
		if (call == null) {
			logNotLeading();
		}
		boolean due = false;
		try {
			due = call != null && this.admission.isDue().test(call);
		}
		finally {
			if (call != null && !due) {
				call.abandon();
			}
		}
		return due ? call : null;
	}

	/**
	 * A call that the start of an application makes before this member competes would run
	 * on no member. That is logged, unlike other calls that are skipped.
	 */
	private void logNotLeading() {
		if (this.election.competesLater() && this.admission.missed().compareAndSet(false, true)) {
			logger.info(("%s did not run, as this member does not compete for '%s' before the application is ready. "
					+ "%s, or do the work in a listener for LeadershipGrantedEvent")
				.formatted(name(), this.election.role(),
						this.admission.waitUpTo().isZero()
								? "Set awaitUpTo of its @LeaderOnly to let such a call wait for the role"
								: "It waited for %s (awaitUpTo of its @LeaderOnly): let it wait for longer"
									.formatted(this.admission.waitUpTo())));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("%s did not run: this member does not lead '%s'".formatted(name(), this.election.role()));
		}
	}

	private String name() {
		return type().getSimpleName() + "." + function();
	}

	Class<?> type() {
		return this.method.getDeclaringClass();
	}

	String function() {
		return this.method.getName();
	}

	/**
	 * Return whether a call throws on a member that does not lead.
	 */
	boolean isRefused() {
		return this.fallback.throwing();
	}

	NotLeaderException refusal() {
		return new NotLeaderException(
				"%s needs the role '%s', which this member does not lead".formatted(name(), this.election.role()));
	}

	/**
	 * Return the result on a member that does not lead.
	 */
	@Nullable Object plainResult() {
		if (isRefused()) {
			throw refusal();
		}
		return this.fallback.value();
	}

	/**
	 * Return a copy for another election of the role.
	 */
	LeaderOnlyOperation with(RoleElection election) {
		return new LeaderOnlyOperation(this.method, election, this.fallback, this.admission, this.interrupts,
				this.shape);
	}

	/**
	 * How a call waits on a member that does not lead.
	 *
	 * @param waitUpTo for how long
	 * @param competing whether this member competes for the role meanwhile, even before
	 * the application is ready
	 * @param missed whether a call that was too early has been logged
	 * @param isDue whether a call may begin under a term, or the last run was too recent
	 */
	record Admission(Duration waitUpTo, boolean competing, AtomicBoolean missed, Predicate<ActiveTerm> isDue) {

	}

	/**
	 * The result of a call on a member that does not lead.
	 *
	 * @param throwing whether it throws
	 * @param value what it returns otherwise
	 */
	record Fallback(boolean throwing, @Nullable Object value) {

		static final Fallback THROW = new Fallback(true, null);

		static final Fallback NULL = new Fallback(false, null);

	}

}
