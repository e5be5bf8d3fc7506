/** Communicators over MPI, whoever has started it, and files that all ranks write together. */
@NullMarked
package io.drumlin.mpi;

import org.jspecify.annotations.NullMarked;
