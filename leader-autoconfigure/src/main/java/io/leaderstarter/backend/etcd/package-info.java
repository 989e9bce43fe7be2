/**
 * Leases as keys of etcd that are bound to an etcd lease of their holder.
 */
@NullMarked
package io.leaderstarter.backend.etcd;

import org.jspecify.annotations.NullMarked;
