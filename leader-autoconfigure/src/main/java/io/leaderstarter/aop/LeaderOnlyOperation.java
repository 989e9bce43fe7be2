package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Predicate;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.RoleElection;
import org.jspecify.annotations.Nullable;

/**
 * What a call of a {@code @LeaderOnly} method means.
 *
 * @param method the method
 * @param election the role that must be led
 * @param fallback what a call gives on a member that does not lead
 * @param awaitUpTo how long a call waits before that
 * @param isDue whether a call may begin under a term, or comes too soon
 * @param interrupts whether a call is ended if its term is lost
 * @param shape how the method gives its result
 */
record LeaderOnlyOperation(Method method, RoleElection election, Fallback fallback, Duration awaitUpTo,
		Predicate<ActiveTerm> isDue, boolean interrupts, CallShape shape) {

	/**
	 * Begins a call, if this member leads or soon does, and it does not come too soon.
	 */
	@Nullable RoleCall enter() {
		RoleCall call = this.election.enter(this.awaitUpTo);
		boolean due = false;
		try {
			due = call != null && this.isDue.test(call);
		}
		finally {
			if (call != null && !due) {
				call.abandon();
			}
		}
		return due ? call : null;
	}

	Class<?> type() {
		return this.method.getDeclaringClass();
	}

	String function() {
		return this.method.getName();
	}

	/**
	 * Returns whether a call fails on a member that does not lead.
	 */
	boolean isRefused() {
		return this.fallback.throwing();
	}

	NotLeaderException refusal() {
		return new NotLeaderException("%s.%s needs the role '%s', which this member does not lead"
			.formatted(type().getSimpleName(), function(), this.election.role()));
	}

	/**
	 * Returns what a method gives instead of its result.
	 */
	@Nullable Object plainResult() {
		if (isRefused()) {
			throw refusal();
		}
		return this.fallback.value();
	}

	/**
	 * The same for another election of the role.
	 */
	LeaderOnlyOperation with(RoleElection election) {
		return new LeaderOnlyOperation(this.method, election, this.fallback, this.awaitUpTo, this.isDue,
				this.interrupts, this.shape);
	}

	/**
	 * What a call gives on a member that does not lead.
	 *
	 * @param throwing whether it throws
	 * @param value what it returns otherwise
	 */
	record Fallback(boolean throwing, @Nullable Object value) {

		static final Fallback THROW = new Fallback(true, null);

		static final Fallback NULL = new Fallback(false, null);

	}

}
