/** Digests of blocks, for differential checkpoints (dCP). Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.dcp;

import org.jspecify.annotations.NullMarked;
