package io.leaderstarter.election.spi;

import java.util.Collection;
import java.util.Map;

import io.leaderstarter.Leadership;

/**
 * What must be done between the grant of a term and its beginning. The fences of a role
 * are raised here.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TermGate {

	/** Lets every term begin at once. */
	TermGate OPEN = (leadership) -> {
	};

	/**
	 * Makes sure that the gate can be used, or throws an exception that says what to do.
	 * Called whenever the elections start.
	 */
	default void prepare() {
	}

	/**
	 * Returns whether {@link #epochs(Collection)} has to be asked before a member stands.
	 * @return whether it has to be asked
	 */
	default boolean isAsked() {
		return false;
	}

	/**
	 * Returns the highest epoch that was let through for each role. If the store of the
	 * leases knows only lower ones, it lost data. A gate that cannot tell throws, so that
	 * nobody takes a role, and burns an epoch, whose term could not begin.
	 * @param roles the roles
	 * @return epochs by role, without roles that never had a term
	 */
	default Map<String, Long> epochs(Collection<String> roles) {
		return Map.of();
	}

	/**
	 * Returns when the term may begin. The lease is renewed meanwhile. If it throws, the
	 * role is given up.
	 * @param leadership the term
	 */
	void open(Leadership leadership);

}
