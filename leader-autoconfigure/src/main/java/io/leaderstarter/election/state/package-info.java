/**
 * The rules of an election as pure functions of state, input and time: the state machine
 * of a role, deadlines, and when a lease may be taken. No threads, clocks or I/O.
 */
@NullMarked
package io.leaderstarter.election.state;

import org.jspecify.annotations.NullMarked;
