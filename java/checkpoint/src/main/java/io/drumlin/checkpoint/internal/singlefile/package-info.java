/**
 * One HDF5 file of all ranks, written as a separate checkpoint ({@code h5_single_file_enable}). Not API: may change in
 * any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.singlefile;

import org.jspecify.annotations.NullMarked;
