/**
 * Refuses, in the database that is written to, what a deposed member still tries to
 * commit: the row of the fence, how it is raised, and how transactions check it.
 */
@NullMarked
package io.leaderstarter.fencing;

import org.jspecify.annotations.NullMarked;
