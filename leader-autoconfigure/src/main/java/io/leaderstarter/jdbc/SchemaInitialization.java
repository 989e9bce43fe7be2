package io.leaderstarter.jdbc;

/**
 * When the tables are created.
 *
 * @since 0.1.0
 */
public enum SchemaInitialization {

	/** At start, if they are missing. */
	ALWAYS,

	/** Never, as a migration creates them. */
	NEVER

}
