/** FTI's files: FTI-FF, metadata, data files of the other modes, HDF5. */
@NullMarked
package io.drumlin.cli.fti;

import org.jspecify.annotations.NullMarked;
