/**
 * Branches: runs that begin with a checkpoint of another run (docs/adr/027-a-branch-is-a-run.md). Not API: the classes may
 * change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.branch;

import org.jspecify.annotations.NullMarked;
