package io.leaderstarter.jdbc;

/**
 * When our tables are created.
 *
 * @since 0.1.0
 */
public enum SchemaInitialization {

	/** At start, if they are not there. */
	ALWAYS,

	/** Never; a migration tool or a person does it. */
	NEVER

}
