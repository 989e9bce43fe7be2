package io.leaderstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A {@code @LeaderOnly} method could not be protected, so the application does not start.
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
	 * Returns what to do.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

}
