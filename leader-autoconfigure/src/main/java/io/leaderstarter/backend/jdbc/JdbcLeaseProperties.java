package io.leaderstarter.backend.jdbc;

import java.time.Duration;

import io.leaderstarter.jdbc.SchemaInitialization;
import org.jspecify.annotations.Nullable;

/**
 * How leases are kept in a database.
 *
 * @param initializeSchema when the table is created
 * @param platform what the database is, {@code null} to ask it
 * @param tablePrefix the beginning of the table's name
 * @param pollInterval the shortest time between two looks
 * @param listen whether to hear from the database when a role is freed, if it can tell
 * @since 0.1.0
 */
public record JdbcLeaseProperties(SchemaInitialization initializeSchema, @Nullable String platform, String tablePrefix,
		Duration pollInterval, boolean listen) {
}
