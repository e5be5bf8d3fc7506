/** HDF5 files that are written, and what reading and writing share. */
@NullMarked
package io.drumlin.format.hdf5.internal;

import org.jspecify.annotations.NullMarked;
