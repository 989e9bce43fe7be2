package io.leaderstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.RoleCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A method that returns a {@link CompletableFuture}: the role is kept until that is
 * complete. Tasks on other threads have the term only if they were
 * {@link io.leaderstarter.LeaderContext#wrap(Runnable) wrapped}.
 */
final class FutureCall implements CallShape {

	static final FutureCall INSTANCE = new FutureCall();

	private FutureCall() {
	}

	@Override
	public @Nullable Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls)
			throws Throwable {
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
