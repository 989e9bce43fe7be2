package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LastRuns;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Puts {@code @LeaderOnly} around methods: inside of what moves a call to another thread
 * ({@code @Async}), since the term belongs to the thread that works; outside of
 * transactions, so that a call that is refused opens none.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class LeaderOnlyAdvisor extends AbstractPointcutAdvisor {

	/** Transactions come last unless somebody gave them an order. */
	private static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LeaderOnlyOperations operations;

	private final transient LeaderOnlyInterceptor advice;

	private final transient Pointcut pointcut = new LeaderOnlyPointcut();

	/**
	 * Makes the advisor.
	 * @param elections where roles are joined, asked for when the first method is seen
	 * @param roleResolver makes the name of a role of what the annotation says, which may
	 * be nothing or a placeholder
	 * @param durations makes a duration of what it says, which may be a placeholder
	 * @param lastRuns keeps when methods last began, if there is a place for that
	 */
	public LeaderOnlyAdvisor(Supplier<DefaultLeaderElections> elections, UnaryOperator<String> roleResolver,
			Function<String, Duration> durations, Supplier<@Nullable LastRuns> lastRuns) {
		this.operations = new LeaderOnlyOperations(elections, roleResolver, durations, lastRuns);
		this.advice = new LeaderOnlyInterceptor(this.operations);
		setOrder(ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	LeaderOnlyOperations operations() {
		return this.operations;
	}

	private static final class LeaderOnlyPointcut extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return LeaderOnlyOperations.isLeaderOnly(method, targetClass);
		}

		@Override
		public ClassFilter getClassFilter() {
			return LeaderOnlyOperations::isCandidate;
		}

	}

}
