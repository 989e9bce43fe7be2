/**
 * Guarded tables: triggers by which a database refuses writes without a valid epoch from
 * any client.
 */
@NullMarked
package io.leaderstarter.fencing.trigger;

import org.jspecify.annotations.NullMarked;
