package io.leaderstarter.aop;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets a call through if this member leads, and puts its term on the thread. Otherwise
 * nothing is locked, allocated or asked.
 */
final class LeaderOnlyInterceptor implements MethodInterceptor {

	private final LeaderOnlyOperations operations;

	LeaderOnlyInterceptor(LeaderOnlyOperations operations) {
		this.operations = operations;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LeaderOnlyOperation operation = this.operations.get(invocation.getMethod(), targetClass);
		return operation.shape().invoke(operation, invocation, this.operations.calls());
	}

}
