/**
 * What is done to members and their servers, and what is found in their histories.
 */
@NullMarked
package io.leaderstarter.chaos;

import org.jspecify.annotations.NullMarked;
