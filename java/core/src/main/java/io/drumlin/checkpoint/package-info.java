/** The engine: protected data, levels, recovery. Joins formats, storage and communicators. */
@NullMarked
package io.drumlin.checkpoint;

import org.jspecify.annotations.NullMarked;
