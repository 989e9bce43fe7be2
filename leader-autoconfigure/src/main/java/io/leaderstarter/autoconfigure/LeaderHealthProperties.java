package io.leaderstarter.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for the health of leader election.
 *
 * @param outOfServiceAfter How long the backend may be unreachable, or a role without a
 * leader because its fence cannot be raised, before the health is OUT_OF_SERVICE.
 * Defaults to none, so that these are only shown.
 * @since 0.1.0
 */
@ConfigurationProperties("management.health.leader")
public record LeaderHealthProperties(@Nullable Duration outOfServiceAfter) {
}
