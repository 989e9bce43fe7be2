package io.leaderstarter.autoconfigure;

import java.util.List;

/**
 * Leader election is not configured in a way that can work.
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
	 * Returns what can be done, each of which is enough.
	 * @return the advice
	 */
	public List<String> getAdvice() {
		return this.advice;
	}

}
