/** Measurements, each beside the limit it is held to. */
@NullMarked
package io.drumlin.bench;

import org.jspecify.annotations.NullMarked;
