/** One file of all ranks at level 4: MPI-IO and SIONlib. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.sharedfile;

import org.jspecify.annotations.NullMarked;
