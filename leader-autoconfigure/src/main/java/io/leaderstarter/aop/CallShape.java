package io.leaderstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.RoleCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * How a method returns its result, and so how long a call runs: until it returns, or
 * until the returned future or stream is complete.
 */
interface CallShape {

	/** The work is done when the method returns. */
	CallShape PLAIN = CallShape::invokePlain;

	/**
	 * The method returns a {@link CompletableFuture}: the role is kept until that is
	 * complete. Tasks on other threads have the term only if they were
	 * {@link io.leaderstarter.LeaderContext#wrap(Runnable) wrapped}.
	 */
	CallShape FUTURE = CallShape::invokeFuture;

	/**
	 * Run the method under a term, or return the fallback on members that do not lead.
	 * @param operation the operation
	 * @param invocation the call
	 * @param calls runs work under a term
	 */
	@Nullable Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls) throws Throwable;

	private static @Nullable Object invokePlain(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls)
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

	private static @Nullable Object invokeFuture(LeaderOnlyOperation operation, MethodInvocation invocation,
			Calls calls) throws Throwable {
		RoleCall call = operation.enter();
		if (call == null) {
			return operation.isRefused() ? CompletableFuture.failedFuture(operation.refusal())
					: CompletableFuture.completedFuture(null);
		}
		Calls.Running running = calls.begin(call, operation.type(), operation.function());
		CompletionStage<?> stage;
		try {
			running.notifyListeners();
			stage = (CompletionStage<?>) invocation.proceed();
		}
		catch (Throwable ex) {
			running.leaveThread();
			running.end(ex);
			throw ex;
		}
		running.leaveThread();
		if (stage == null) {
			running.end(null);
			return null;
		}
		stage.whenComplete((result, failure) -> running.end(failure));
		return operation.interrupts() ? endingWithItsTerm(stage, call) : stage;
	}

	/**
	 * The future of the method is not cancelled if the term ends: its work goes on, and
	 * the role is kept until it has ended.
	 */
	private static CompletableFuture<Object> endingWithItsTerm(CompletionStage<?> stage, RoleCall call) {
		CompletableFuture<Object> ending = new CompletableFuture<>();
		stage.whenComplete((result, failure) -> {
			if (failure != null) {
				ending.completeExceptionally(failure);
			}
			else {
				ending.complete(result);
			}
		});
		ending.whenComplete((result, failure) -> {
			if (ending.isCancelled()) {
				stage.toCompletableFuture().cancel(true);
			}
		});
		call.onCancel(() -> ending.completeExceptionally(new StaleLeaderException(call.leadership())));
		return ending;
	}

}
