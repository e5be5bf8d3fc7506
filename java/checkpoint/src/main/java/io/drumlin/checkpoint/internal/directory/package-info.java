/**
 * The directories of a run: commit by renames (docs/adr/001-commit-by-two-renames.md), {@code Checkpoint.fti}. Not API: may
 * change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.directory;

import org.jspecify.annotations.NullMarked;
