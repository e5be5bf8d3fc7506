/** The HDF5 library, for files that Drumlin does not read itself; docs/formats/fti-hdf5.md, section 8. */
@NullMarked
package io.drumlin.hdf5;

import org.jspecify.annotations.NullMarked;
