package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * Listener that a store notifies of what it notices by itself. Calls may come on any
 * thread and return at once.
 *
 * @since 0.1.0
 */
public interface StoreListener {

	/**
	 * A role may be free. It is only a hint to poll now rather than later.
	 */
	void onMaybeFree();

	/**
	 * The clock of the store was set.
	 * @param by how far; negative if it was set back
	 */
	void onClockStep(Duration by);

}
