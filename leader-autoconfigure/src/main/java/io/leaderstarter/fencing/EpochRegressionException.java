package io.leaderstarter.fencing;

/**
 * The store of the leases gives out epochs that the fence has seen already, or it is
 * another store. It lost data, or the application was pointed elsewhere. Nothing repairs
 * that in silence: somebody has to find out.
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
