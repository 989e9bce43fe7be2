/**
 * Meters of leader election.
 */
@NullMarked
package io.leaderstarter.metrics;

import org.jspecify.annotations.NullMarked;
