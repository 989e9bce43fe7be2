/**
 * What differs between databases, the creation of our tables, and connections that are
 * ours alone.
 */
@NullMarked
package io.leaderstarter.jdbc;

import org.jspecify.annotations.NullMarked;
