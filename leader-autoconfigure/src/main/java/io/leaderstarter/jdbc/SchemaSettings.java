package io.leaderstarter.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * How the tables are created in a database.
 *
 * @param tablePrefix the prefix of their names, maybe with a schema
 * @param initialize when they are created
 * @param platform the platform of the database, {@code null} to ask it
 * @since 0.1.0
 */
public record SchemaSettings(String tablePrefix, SchemaInitialization initialize, @Nullable String platform) {

}
