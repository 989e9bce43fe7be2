/**
 * Lets tests of applications decide who leads.
 */
@NullMarked
package io.leaderstarter.test;

import org.jspecify.annotations.NullMarked;
