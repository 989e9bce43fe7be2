package io.leaderstarter.election.spi;

/**
 * Pages of the documentation that messages link to.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Documentation {

	private static final String ROOT = "https://leaderstarter.io/docs/";

	/** What to do if a store lost data or was replaced. */
	public static final String EPOCHS_THAT_GO_BACK = ROOT + "fencing#epochs-that-go-back";

	/** Tables that refuse writes without a term. */
	public static final String GUARDED_TABLES = ROOT + "fencing#guarded-tables";

	private Documentation() {
	}

}
