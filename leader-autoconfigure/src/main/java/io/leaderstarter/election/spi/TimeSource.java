package io.leaderstarter.election.spi;

/**
 * The clocks of this process. Tests move them by hand.
 *
 * @since 0.1.0
 */
public interface TimeSource {

	/** The clocks of the machine. */
	TimeSource SYSTEM = new TimeSource() {

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis();
		}

	};

	/**
	 * Read the monotonic clock.
	 * @return nanoseconds from an arbitrary origin
	 */
	long nanoTime();

	/**
	 * Read the wall clock.
	 * @return milliseconds since 1970
	 */
	long currentTimeMillis();

	/**
	 * Read both clocks.
	 * @return the present moment
	 */
	default Moment now() {
		return new Moment(nanoTime(), currentTimeMillis());
	}

}
