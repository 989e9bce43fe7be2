package io.leaderstarter.backend.support;

import org.jspecify.annotations.Nullable;

/**
 * A role as it was read from a store that keeps its epoch in one permanent entry and its
 * leader in another, which expires.
 * <p>
 * Internal: not for applications.
 *
 * @param name its name
 * @param last the last grant
 * @param version version of the entry of the last grant
 * @param leader the leader, {@code null} if there is none
 * @since 0.1.0
 */
public record StoredRole(String name, LeaseRecord last, long version, @Nullable LeaseRecord leader) {
}
