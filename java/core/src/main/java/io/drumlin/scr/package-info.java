/**
 * What SCR keeps about datasets, read and written so that SCR reads it too; docs/formats/scr.md.
 *
 * <p>{@link io.drumlin.scr.ScrIndex} is the list of datasets in a prefix directory, {@link io.drumlin.scr.IndexFile} the
 * file it lies in.
 */
@NullMarked
package io.drumlin.scr;

import org.jspecify.annotations.NullMarked;
