/**
 * Support code for backends. It depends on no client of a store, and gets clocks, threads
 * and random numbers from its caller.
 */
@NullMarked
package io.leaderstarter.backend.support;

import org.jspecify.annotations.NullMarked;
