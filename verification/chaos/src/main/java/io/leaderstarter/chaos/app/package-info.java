/**
 * An application as the README says, whose jobs read and write in two steps, so that a
 * stale writer would lose an update.
 */
@NullMarked
package io.leaderstarter.chaos.app;

import org.jspecify.annotations.NullMarked;
