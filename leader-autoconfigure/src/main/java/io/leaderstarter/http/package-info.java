/**
 * Sends the epoch along with HTTP requests.
 */
@NullMarked
package io.leaderstarter.http;

import org.jspecify.annotations.NullMarked;
