/**
 * HDF5 files, as far as FTI's checkpoints use them; docs/formats/fti-hdf5.md. The package knows bytes only, no files
 * and no ranks. Only where it leaves a file to the HDF5 library does it hand over the path.
 */
@NullMarked
package io.drumlin.format.hdf5;

import org.jspecify.annotations.NullMarked;
