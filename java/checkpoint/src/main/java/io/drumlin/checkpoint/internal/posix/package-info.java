/**
 * The modes POSIX (1), MPI-IO (2) and SIONlib (4), and their differential checkpoints. Not API: may change in any
 * release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.posix;

import org.jspecify.annotations.NullMarked;
