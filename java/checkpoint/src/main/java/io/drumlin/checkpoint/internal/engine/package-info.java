/** The engine of a rank, which writes, commits and finishes checkpoints. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.engine;

import org.jspecify.annotations.NullMarked;
