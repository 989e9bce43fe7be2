/**
 * Dialects, the creation of tables, dedicated connections and the meaning of SQL errors.
 */
@NullMarked
package io.leaderstarter.jdbc;

import org.jspecify.annotations.NullMarked;
