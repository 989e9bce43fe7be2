/**
 * Checks what commits by itself on a {@code DataSource}: {@code FencedJdbcTemplate}, and
 * the connections and statements below it.
 */
@NullMarked
package io.leaderstarter.fencing.jdbc;

import org.jspecify.annotations.NullMarked;
