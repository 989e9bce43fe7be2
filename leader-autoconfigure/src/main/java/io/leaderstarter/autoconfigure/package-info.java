/**
 * Auto-configuration for leader election. Wiring only: nothing else depends on it.
 */
@NullMarked
package io.leaderstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
