/**
 * Leases as rows of a table in the application's database.
 */
@NullMarked
package io.leaderstarter.backend.jdbc;

import org.jspecify.annotations.NullMarked;
