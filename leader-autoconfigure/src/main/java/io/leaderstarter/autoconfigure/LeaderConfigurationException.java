package io.leaderstarter.autoconfigure;

import java.util.List;

/**
 * Exception thrown when leader election is configured in a way that cannot work.
 *
 * @since 0.1.0
 */
public class LeaderConfigurationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient List<String> advice;

	LeaderConfigurationException(String message, List<String> advice) {
		super(message);
		this.advice = List.copyOf(advice);
	}

	/**
	 * Return what to do; each of these is enough.
	 * @return the advice
	 */
	public List<String> getAdvice() {
		return this.advice;
	}

}
