package io.leaderstarter;

/**
 * What a {@link LeaderOnly} call does on a member that does not lead.
 *
 * @since 0.1.0
 */
public enum Otherwise {

	/**
	 * Skip where the caller can see it or need not know: {@code void} does nothing,
	 * {@code Optional}, {@code Mono} and {@code Flux} are empty. Anything else throws
	 * {@link NotLeaderException}, and so does a method that is given messages (such as a
	 * {@code @KafkaListener}), as a skipped message would be lost, and one that answers
	 * web requests (such as a {@code @PostMapping}), as the client would take what was
	 * skipped for done.
	 */
	AUTO,

	/**
	 * Do nothing: {@code Optional}, {@code Mono} and {@code Flux} are empty, a
	 * {@code CompletableFuture} is complete with {@code null}, any other object is
	 * {@code null}. Refused at start for methods that return a primitive value, and for
	 * those that are given messages.
	 */
	SKIP,

	/**
	 * Throw {@link NotLeaderException}; a {@code CompletableFuture}, {@code Mono} or
	 * {@code Flux} fails with it.
	 */
	THROW

}
