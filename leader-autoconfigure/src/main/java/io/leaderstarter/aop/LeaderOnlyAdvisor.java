package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LastRuns;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Advisor for {@code @LeaderOnly}. It is applied inside of {@code @Async}, since the term
 * belongs to the thread that runs the method, and outside of transactions, so that a
 * refused call begins none.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class LeaderOnlyAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/** Transactions come last unless their order is configured. */
	private static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LeaderOnlyOperations operations;

	/**
	 * Create a new advisor.
	 * @param elections supplies the elections when the first method is resolved
	 * @param roleResolver resolves the role of an annotation, which may be empty or a
	 * placeholder
	 * @param durations resolves a duration of an annotation, which may be a placeholder
	 * @param lastRuns supplies where last runs are kept, if there is a fenced database
	 */
	public LeaderOnlyAdvisor(Supplier<DefaultLeaderElections> elections, UnaryOperator<String> roleResolver,
			Function<String, Duration> durations, Supplier<@Nullable LastRuns> lastRuns) {
		this.operations = new LeaderOnlyOperations(elections, roleResolver, durations, lastRuns);
		setOrder(ORDER);
		setClassFilter(LeaderOnlyOperations::isCandidate);
		setAdvice((MethodInterceptor) this::invoke);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return LeaderOnlyOperations.isLeaderOnly(method, targetClass);
	}

	/**
	 * Run the method if this member leads. Otherwise nothing is locked, allocated or
	 * requested.
	 */
	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LeaderOnlyOperation operation = this.operations.get(invocation.getMethod(), targetClass);
		return operation.shape().invoke(operation, invocation, this.operations.calls());
	}

	LeaderOnlyOperations operations() {
		return this.operations;
	}

}
