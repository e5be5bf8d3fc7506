/** Between the caches and the prefix directory: fetching, flushing, and the start of a job. */
@NullMarked
package io.drumlin.scr.internal.flush;

import org.jspecify.annotations.NullMarked;
