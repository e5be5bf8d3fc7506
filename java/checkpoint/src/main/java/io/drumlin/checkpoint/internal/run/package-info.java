/**
 * The life of a run: its start, its checkpoints and its end; heads and clocks; the implementation of the API. Not API:
 * may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.run;

import org.jspecify.annotations.NullMarked;
