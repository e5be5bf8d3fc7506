/** The engines, and what they share with those who look at files without one: the system's errors, paths, memory. */
@NullMarked
package io.drumlin.storage.internal;

import org.jspecify.annotations.NullMarked;
