/** Finds what is left of a checkpoint at a level, and makes it whole. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.recovery;

import org.jspecify.annotations.NullMarked;
