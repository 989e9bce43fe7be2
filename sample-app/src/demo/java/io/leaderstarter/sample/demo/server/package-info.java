/**
 * Servers that nodes share, each a process of its own.
 */
@NullMarked
package io.leaderstarter.sample.demo.server;

import org.jspecify.annotations.NullMarked;
