package io.leaderstarter.http;

/**
 * The headers of a request that is made in a {@code @LeaderOnly} call.
 * <p>
 * Each has one value. In nested calls of several roles each has one value for each term,
 * the innermost first and in the same order, separated by commas.
 *
 * @since 0.1.0
 */
public final class LeaderHeaders {

	/** The role that the member leads. */
	public static final String ROLE = "Leader-Role";

	/**
	 * The epoch (fencing token) of the term, a decimal number. A receiver refuses lower
	 * ones.
	 */
	public static final String EPOCH = "Leader-Epoch";

	/**
	 * The random id of the term. It distinguishes two terms that have the same epoch
	 * because the store of the leases lost data.
	 */
	public static final String TERM_ID = "Leader-Term-Id";

	private LeaderHeaders() {
	}

}
