/**
 * A fence for resources that keep the highest epoch themselves.
 */
@NullMarked
package io.leaderstarter.fencing.receiver;

import org.jspecify.annotations.NullMarked;
