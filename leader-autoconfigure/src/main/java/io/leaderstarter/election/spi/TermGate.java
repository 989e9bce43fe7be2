package io.leaderstarter.election.spi;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.leaderstarter.Leadership;
import org.jspecify.annotations.Nullable;

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
	 * Make sure that the gate can be used, or throws an exception that says what to do.
	 * Called whenever the elections start.
	 */
	default void prepare() {
	}

	/**
	 * Release what {@link #prepare()} opened. Called when the elections have stopped.
	 * They may start again, and the process may be written to a checkpoint before that.
	 */
	default void stop() {
	}

	/**
	 * Return whether {@link #passed(Collection)} has to be asked before a member
	 * competes.
	 * @return whether it has to be asked
	 */
	default boolean isAsked() {
		return false;
	}

	/**
	 * Return the epochs that were let through so far. A gate that does not know throws,
	 * so that nobody takes a role, and burns an epoch, whose term could not begin.
	 * @param roles the roles
	 * @return what is known by role, without roles that never had a term
	 */
	default Map<String, Passed> passed(Collection<String> roles) {
		return Map.of();
	}

	/**
	 * Return when the term may begin. The lease is renewed meanwhile. If it throws, the
	 * role is given up.
	 * @param leadership the term
	 */
	void open(Leadership leadership);

	/**
	 * Return names of what was opened for a term: the fences that are raised for it.
	 * @param leadership the term, which has begun
	 * @return the names
	 */
	default Collection<String> opened(Leadership leadership) {
		return List.of();
	}

	/**
	 * What was let through for a role.
	 *
	 * @param epoch the highest epoch. If the store of the leases knows only lower ones,
	 * it lost data
	 * @param objection why no term of that store may begin, whatever its epoch;
	 * {@code null} if there is no reason
	 * @since 0.1.0
	 */
	record Passed(long epoch, @Nullable String objection) {
	}

}
