/** The engine of a rank: writes a checkpoint, commits it, and finishes it. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.engine;

import org.jspecify.annotations.NullMarked;
