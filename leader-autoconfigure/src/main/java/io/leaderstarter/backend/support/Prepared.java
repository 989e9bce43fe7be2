package io.leaderstarter.backend.support;

import org.jspecify.annotations.Nullable;

/**
 * A value that is known after a store was prepared, such as the store id.
 * <p>
 * Internal: not for applications.
 *
 * @param <T> the type of the value
 * @since 0.1.0
 */
public final class Prepared<T> {

	private volatile @Nullable T value;

	/**
	 * Set the value.
	 * @param value the value
	 */
	public void set(T value) {
		this.value = value;
	}

	/**
	 * Return whether there is a value.
	 * @return whether the store was prepared
	 */
	public boolean isSet() {
		return this.value != null;
	}

	/**
	 * Return the value.
	 * @return the value
	 * @throws IllegalStateException if the store was not prepared yet
	 */
	public T get() {
		T present = this.value;
		if (present == null) {
			throw new IllegalStateException("prepare() was not called");
		}
		return present;
	}

}
