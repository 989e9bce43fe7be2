/**
 * What shows the sample to people: it starts nodes and servers, freezes and kills them,
 * and serves a page about it. Nothing here is to be copied into an application.
 */
@NullMarked
package io.leaderstarter.sample.demo;

import org.jspecify.annotations.NullMarked;
