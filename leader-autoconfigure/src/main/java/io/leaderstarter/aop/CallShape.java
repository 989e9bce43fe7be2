package io.leaderstarter.aop;

import io.leaderstarter.election.Calls;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * How a method returns its result, and so how long a call runs: until it returns, or
 * until the returned future or stream is complete.
 */
interface CallShape {

	/**
	 * Run the method under a term, or return the fallback on members that do not lead.
	 * @param operation the operation
	 * @param invocation the call
	 * @param calls runs work under a term
	 */
	@Nullable Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls) throws Throwable;

}
