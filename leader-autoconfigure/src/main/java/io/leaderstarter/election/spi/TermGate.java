package io.leaderstarter.election.spi;

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
	 * Returns when the term may begin. The lease is renewed meanwhile. If it throws, the
	 * role is given up.
	 * @param leadership the term
	 */
	void open(Leadership leadership);

}
