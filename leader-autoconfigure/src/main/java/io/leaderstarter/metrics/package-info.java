/**
 * Meters and observations of leader election.
 */
@NullMarked
package io.leaderstarter.metrics;

import org.jspecify.annotations.NullMarked;
