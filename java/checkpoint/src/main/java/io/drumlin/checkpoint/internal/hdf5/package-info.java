/** The mode HDF5 (5). Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.hdf5;

import org.jspecify.annotations.NullMarked;
