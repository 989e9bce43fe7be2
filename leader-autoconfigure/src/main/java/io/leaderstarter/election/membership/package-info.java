/**
 * Which members are alive, and which of them should lead a role. No threads or I/O.
 */
@NullMarked
package io.leaderstarter.election.membership;

import org.jspecify.annotations.NullMarked;
