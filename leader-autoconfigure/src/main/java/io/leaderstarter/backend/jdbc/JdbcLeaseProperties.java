package io.leaderstarter.backend.jdbc;

import java.time.Duration;

import io.leaderstarter.jdbc.SchemaInitialization;
import org.jspecify.annotations.Nullable;

/**
 * How leases are kept in a database.
 *
 * @param initializeSchema when the table is created
 * @param platform the platform of the database, {@code null} to detect it
 * @param tablePrefix the prefix of the tables' names
 * @param pollInterval the shortest poll interval
 * @param listen whether to be notified by the database of freed roles, if it supports
 * that
 * @since 0.1.0
 */
public record JdbcLeaseProperties(SchemaInitialization initializeSchema, @Nullable String platform, String tablePrefix,
		Duration pollInterval, boolean listen) {
}
