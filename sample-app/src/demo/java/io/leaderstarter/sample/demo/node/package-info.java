/**
 * What a node of the demo tells the process that started it.
 */
@NullMarked
package io.leaderstarter.sample.demo.node;

import org.jspecify.annotations.NullMarked;
