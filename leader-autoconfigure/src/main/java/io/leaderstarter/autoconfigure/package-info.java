/**
 * Auto-configuration for leader election. No other package depends on this one.
 */
@NullMarked
package io.leaderstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
