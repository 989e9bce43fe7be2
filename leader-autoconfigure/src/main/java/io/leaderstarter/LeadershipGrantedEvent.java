package io.leaderstarter;

/**
 * Published on the member that leads a role from now on.
 *
 * @param leadership the term that began
 * @since 0.1.0
 */
public record LeadershipGrantedEvent(Leadership leadership) {
}
