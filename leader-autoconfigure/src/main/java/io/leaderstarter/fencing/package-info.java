/**
 * Refuses, in the database that is written to, what a deposed member still tries to
 * commit.
 */
@NullMarked
package io.leaderstarter.fencing;

import org.jspecify.annotations.NullMarked;
