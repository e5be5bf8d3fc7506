/** The checkpoint API: protected data, levels, recovery. */
@NullMarked
package io.drumlin.checkpoint;

import org.jspecify.annotations.NullMarked;
