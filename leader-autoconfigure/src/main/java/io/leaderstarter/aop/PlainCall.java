package io.leaderstarter.aop;

import io.leaderstarter.election.Calls;
import io.leaderstarter.election.RoleCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A method whose work is done when it returns.
 */
final class PlainCall implements CallShape {

	static final PlainCall INSTANCE = new PlainCall();

	private PlainCall() {
	}

	@Override
	public @Nullable Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls)
			throws Throwable {
		RoleCall call = operation.enter();
		if (call == null) {
			return operation.plainResult();
		}
		return calls.run(call, operation.type(), operation.function(),
				operation.interrupts() ? () -> proceedInterruptibly(invocation, call) : invocation::proceed);
	}

	private static @Nullable Object proceedInterruptibly(MethodInvocation invocation, RoleCall call) throws Throwable {
		Interruption interruption = new Interruption(call);
		try {
			return invocation.proceed();
		}
		finally {
			interruption.end();
		}
	}

}
