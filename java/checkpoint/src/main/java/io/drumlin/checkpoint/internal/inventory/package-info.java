/**
 * The order in which a run's checkpoints were taken (docs/adr/019-a-log-tells-which-checkpoint-is-newer.md), and of which
 * checkpoint a file is. Not API: may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.inventory;

import org.jspecify.annotations.NullMarked;
