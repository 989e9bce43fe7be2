/**
 * What every backend needs and none should write again. It knows no store's client, and
 * takes clocks, threads and random numbers from its caller.
 */
@NullMarked
package io.leaderstarter.backend.support;

import org.jspecify.annotations.NullMarked;
