/**
 * What a node of the demo reports to the process that started it.
 */
@NullMarked
package io.leaderstarter.sample.demo.node;

import org.jspecify.annotations.NullMarked;
