package io.leaderstarter.backend.jdbc;

import java.time.Duration;

import io.leaderstarter.jdbc.SchemaSettings;

/**
 * How leases are kept in a database.
 *
 * @param schema how the tables are created and named
 * @param pollInterval the shortest poll interval
 * @since 0.1.0
 */
public record JdbcLeaseProperties(SchemaSettings schema, Duration pollInterval) {
}
