/**
 * Leases as keys of etcd that live as long as an etcd lease of their holder.
 */
@NullMarked
package io.leaderstarter.backend.etcd;

import org.jspecify.annotations.NullMarked;
