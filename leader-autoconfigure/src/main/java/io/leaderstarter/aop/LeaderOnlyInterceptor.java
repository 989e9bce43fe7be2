package io.leaderstarter.aop;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.CallListener;
import io.leaderstarter.election.spi.CallObserver;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets a call through if this member leads, and puts its term on the thread. Otherwise
 * nothing is locked, allocated or asked.
 */
final class LeaderOnlyInterceptor implements MethodInterceptor {

	private final LeaderOnlyOperations operations;

	private final CallListener onCall;

	private final CallObserver observer;

	LeaderOnlyInterceptor(LeaderOnlyOperations operations, CallListener onCall, CallObserver observer) {
		this.operations = operations;
		this.onCall = onCall;
		this.observer = observer;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LeaderOnlyOperation operation = this.operations.get(invocation.getMethod(), targetClass);
		RoleElection.Call call = operation.election().enter();
		if (call == null) {
			return operation.otherwise();
		}
		LeaderContext.Scope scope = LeaderContext.open(call);
		CallObserver.Observed observed = this.observer.onBegin(call, invocation.getMethod());
		Throwable failure = null;
		try {
			this.onCall.onCall(call);
			return invocation.proceed();
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			scope.close();
			call.close();
			observed.onEnd(failure);
		}
	}

}
