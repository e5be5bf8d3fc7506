/**
 * The HDF5 library, for files that Drumlin does not read itself; docs/formats/fti-hdf5.md, section 8, and
 * docs/adr/009-hdf5-by-our-own-codec.md.
 */
@NullMarked
package io.drumlin.hdf5;

import org.jspecify.annotations.NullMarked;
