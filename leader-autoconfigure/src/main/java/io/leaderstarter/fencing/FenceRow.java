package io.leaderstarter.fencing;

import io.leaderstarter.Leadership;

/**
 * The last term that a fence was raised for.
 *
 * @param role the role
 * @param epoch the epoch, 0 if it was never raised
 * @param tenure the tenure, empty if it was never raised
 * @param authority the store that gave the epoch out
 */
record FenceRow(String role, long epoch, String tenure, String authority) {

	boolean isRaisedFor(Leadership leadership) {
		return this.epoch == leadership.epoch() && this.tenure.equals(leadership.tenure());
	}

}
