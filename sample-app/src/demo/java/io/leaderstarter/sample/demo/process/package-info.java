/**
 * Processes that end with the one that started them.
 */
@NullMarked
package io.leaderstarter.sample.demo.process;

import org.jspecify.annotations.NullMarked;
