package io.leaderstarter.fencing;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.election.spi.SafeText;

/**
 * The last term that a fence was raised for.
 *
 * @param role the role
 * @param epoch the epoch, 0 if it was never raised
 * @param termId the term id, empty if it was never raised
 * @param storeId id of the store that gave the epoch out
 */
record FenceRow(String role, long epoch, String termId, String storeId) {

	boolean isRaisedFor(Leadership leadership) {
		return this.epoch == leadership.epoch() && this.termId.equals(leadership.termId());
	}

	boolean isOf(String store) {
		return this.storeId.equals(store);
	}

	/**
	 * Explain that the row does not belong to the store of this member. Both ids may have
	 * been written by anybody, so they are made safe for display.
	 */
	String foreign(String database, String store) {
		return ("The fence in '%s' belongs to the election store %s, but this member elects in %s. Is the application "
				+ "pointed at the right store? If the store was replaced on purpose, see %s")
			.formatted(database, SafeText.safely(this.storeId), SafeText.safely(store),
					Documentation.EPOCHS_THAT_GO_BACK);
	}

}
