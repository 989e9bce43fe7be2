/**
 * What a store offers to the election. Stores are dumb: every decision about time and
 * ownership is made in {@code io.leaderstarter.election}.
 */
@NullMarked
package io.leaderstarter.election.spi;

import org.jspecify.annotations.NullMarked;
