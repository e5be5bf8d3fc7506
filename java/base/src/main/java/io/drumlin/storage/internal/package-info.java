/** What the engines stand on, and everyone who looks at files without one: the system's errors, paths, memory. */
@NullMarked
package io.drumlin.storage.internal;

import org.jspecify.annotations.NullMarked;
