/** Uses the engine without writing, to find what a run has left. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.inspect;

import org.jspecify.annotations.NullMarked;
