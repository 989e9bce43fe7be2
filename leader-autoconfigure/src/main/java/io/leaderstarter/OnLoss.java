package io.leaderstarter;

/**
 * What happens to a {@link LeaderOnly} call that still runs when its term is lost. In any
 * case no new call begins, {@link LeaderContext#check()} throws, and what the call writes
 * to a fenced database is refused once another member leads.
 *
 * @since 0.1.0
 */
public enum OnLoss {

	/**
	 * It runs on, and asks {@link LeaderContext#isStillLeader()} itself if it is long.
	 */
	CONTINUE,

	/**
	 * Its thread is interrupted. A {@code CompletableFuture} that it returned fails with
	 * a {@link StaleLeaderException}, but the role is kept until the work behind it has
	 * ended. A {@code Mono} or {@code Flux} is cancelled and fails with it; the role is
	 * kept until then. For work that waits a lot and takes an interrupt well.
	 */
	INTERRUPT

}
