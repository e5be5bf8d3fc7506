/** Example programs. {@link io.drumlin.examples.Heat2D} shows the library at work; the others are made for reading. */
@NullMarked
package io.drumlin.examples;

import org.jspecify.annotations.NullMarked;
