/**
 * Leases as ephemeral nodes of ZooKeeper.
 */
@NullMarked
package io.leaderstarter.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
