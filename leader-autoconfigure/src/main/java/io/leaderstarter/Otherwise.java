package io.leaderstarter;

/**
 * What a {@link LeaderOnly} call does on a member that does not lead.
 *
 * @since 0.1.0
 */
public enum Otherwise {

	/**
	 * Skip where the caller can see it or need not know: {@code void} does nothing,
	 * {@code Optional} is empty. Anything else throws {@link NotLeaderException}.
	 */
	AUTO,

	/**
	 * Do nothing: {@code Optional} is empty, any other object is {@code null}. Refused at
	 * start for methods that return a primitive value.
	 */
	SKIP,

	/**
	 * Throw {@link NotLeaderException}. What reads a queue needs this, as a skipped call
	 * would lose the message.
	 */
	THROW

}
