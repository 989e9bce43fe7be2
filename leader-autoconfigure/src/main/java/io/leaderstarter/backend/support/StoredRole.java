package io.leaderstarter.backend.support;

import org.jspecify.annotations.Nullable;

/**
 * A role as it was read from a store that keeps its epoch in one entry, for ever, and its
 * leader in another, which disappears by itself.
 * <p>
 * Internal: not for applications.
 *
 * @param name its name
 * @param last what was granted last
 * @param version of the entry that holds that, which changes with every grant
 * @param leader who leads, {@code null} if nobody does
 * @since 0.1.0
 */
public record StoredRole(String name, LeaseRecord last, long version, @Nullable LeaseRecord leader) {
}
