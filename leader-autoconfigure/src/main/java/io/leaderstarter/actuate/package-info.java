/**
 * Shows leadership in Spring Boot's Actuator.
 */
@NullMarked
package io.leaderstarter.actuate;

import org.jspecify.annotations.NullMarked;
