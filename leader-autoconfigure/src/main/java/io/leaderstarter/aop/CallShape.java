package io.leaderstarter.aop;

import io.leaderstarter.election.Calls;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * How a method gives its result, and with it what "while it runs" means: until it
 * returns, or until what it returned is finished.
 */
interface CallShape {

	/**
	 * Runs the method under a term, or gives what it gives on members that do not lead.
	 * @param operation what the call means
	 * @param invocation the call
	 * @param calls how work is run under a term
	 */
	@Nullable Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls) throws Throwable;

}
