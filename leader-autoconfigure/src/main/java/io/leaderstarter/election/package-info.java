/**
 * The election: a pure state machine per role, its timing, the one loop that talks to the
 * store, and the delivery of events.
 */
@NullMarked
package io.leaderstarter.election;

import org.jspecify.annotations.NullMarked;
