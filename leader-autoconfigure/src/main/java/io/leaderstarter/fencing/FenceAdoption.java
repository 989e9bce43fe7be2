package io.leaderstarter.fencing;

/**
 * The decision that a fence belongs to another store from now on, after the store of the
 * leases was replaced on purpose. It is recorded in the database.
 *
 * @param role the role
 * @param epoch the expected epoch of the fence; if it has another one, nothing is changed
 * @param from id of the store that the fence belongs to
 * @param to id of the store that grants epochs from now on
 * @param by who decided
 * @param reason why
 * @since 0.1.0
 */
public record FenceAdoption(String role, long epoch, String from, String to, String by, String reason) {

	/**
	 * Create a new decision.
	 */
	public FenceAdoption {
		require("role", role);
		require("from", from);
		require("to", to);
		require("by", by);
		require("reason", reason);
	}

	private static void require(String name, String value) {
		if (value.isBlank()) {
			throw new IllegalArgumentException("'%s' must not be empty".formatted(name));
		}
	}

}
