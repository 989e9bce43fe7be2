/**
 * What applications import: leader election for a role, the annotation and the events.
 */
@NullMarked
package io.leaderstarter;

import org.jspecify.annotations.NullMarked;
