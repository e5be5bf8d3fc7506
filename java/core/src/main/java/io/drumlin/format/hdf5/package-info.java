/** HDF5 files as far as FTI's checkpoints are such files; docs/formats/fti-hdf5.md. Bytes only: no files, no ranks. */
@NullMarked
package io.drumlin.format.hdf5;

import org.jspecify.annotations.NullMarked;
