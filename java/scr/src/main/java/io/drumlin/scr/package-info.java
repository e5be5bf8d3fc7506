/**
 * Reads and writes SCR's metadata of datasets in a form that SCR also reads; docs/formats/scr.md.
 *
 * <p>{@link io.drumlin.scr.internal.index.ScrIndex} is the list of datasets in a prefix directory. {@link io.drumlin.scr.internal.index.IndexFile} is
 * the file that holds it.
 */
@NullMarked
package io.drumlin.scr;

import org.jspecify.annotations.NullMarked;
