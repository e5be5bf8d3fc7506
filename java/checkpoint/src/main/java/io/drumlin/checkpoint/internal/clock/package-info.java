/**
 * When a snapshot takes a checkpoint: after minutes, or after the interval that loses the least time. Not API: may change
 * in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.clock;

import org.jspecify.annotations.NullMarked;
