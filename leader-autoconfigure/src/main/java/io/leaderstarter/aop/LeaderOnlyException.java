package io.leaderstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Exception thrown at start when a {@code @LeaderOnly} method cannot be protected.
 *
 * @since 0.1.0
 */
public class LeaderOnlyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String advice;

	LeaderOnlyException(Method method, @Nullable String problem, String advice, @Nullable Throwable cause) {
		super("@LeaderOnly cannot protect %s.%s: %s".formatted(method.getDeclaringClass().getName(), method.getName(),
				problem), cause);
		this.advice = advice;
	}

	/**
	 * Return what to do.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

}
