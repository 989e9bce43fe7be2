package io.leaderstarter.fencing;

/**
 * Thrown if the store of the leases grants epochs that the fence has seen already, or if
 * it is another store than before. The store lost data, or the application is configured
 * with the wrong one. A person has to decide what to do.
 *
 * @since 0.1.0
 */
public class EpochRegressionException extends FenceException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create a new exception.
	 * @param message what was found, and what to do
	 */
	public EpochRegressionException(String message) {
		super(message, null);
	}

}
