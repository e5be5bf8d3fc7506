/** Restart with another number of ranks. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.elastic;

import org.jspecify.annotations.NullMarked;
