package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.jdbc.SchemaInitialization;
import org.jspecify.annotations.Nullable;

/**
 * How fences are kept.
 *
 * @param namespace keeps applications apart in one database
 * @param tablePrefix the beginning of the table's name
 * @param initializeSchema when the table is created
 * @param platform what the database is, {@code null} to ask it
 * @param raiseTimeout how long one try to raise a fence may take
 * @param idleTimeout how long a fenced transaction may do nothing once it was checked,
 * where the database can limit that; so a process that is frozen between the check and
 * the commit does not hold its successor up for longer
 * @param idleFromBegin whether that limit counts from the beginning of the transaction,
 * which takes one more statement
 * @param termsCarried whether transactions carry their terms for triggers, which takes
 * one more statement
 * @since 0.1.0
 */
public record FenceSettings(String namespace, String tablePrefix, SchemaInitialization initializeSchema,
		@Nullable String platform, Duration raiseTimeout, Duration idleTimeout, boolean idleFromBegin,
		boolean termsCarried) {

	/**
	 * Settings that tell transactions nothing when they begin.
	 * @param namespace see above
	 * @param tablePrefix see above
	 * @param initializeSchema see above
	 * @param platform see above
	 * @param raiseTimeout see above
	 * @param idleTimeout see above
	 */
	public FenceSettings(String namespace, String tablePrefix, SchemaInitialization initializeSchema,
			@Nullable String platform, Duration raiseTimeout, Duration idleTimeout) {
		this(namespace, tablePrefix, initializeSchema, platform, raiseTimeout, idleTimeout, false, false);
	}

}
