package io.leaderstarter;

/**
 * A listener that is registered.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Registration extends AutoCloseable {

	/**
	 * End the registration. Calls that are under way may still arrive.
	 */
	@Override
	void close();

}
