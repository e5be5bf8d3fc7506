/** Checkpoints of a program: protected data, levels, recovery. Begin with {@link Checkpoints}. */
@NullMarked
package io.drumlin.checkpoint;

import org.jspecify.annotations.NullMarked;
