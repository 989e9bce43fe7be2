/**
 * Lets {@code @LeaderOnly} methods run on the leader only.
 */
@NullMarked
package io.leaderstarter.aop;

import org.jspecify.annotations.NullMarked;
