/**
 * Leases for a single node, kept nowhere.
 */
@NullMarked
package io.leaderstarter.backend.local;

import org.jspecify.annotations.NullMarked;
