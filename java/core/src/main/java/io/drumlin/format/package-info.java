/** What all file formats share: a source of bytes, findings, and the error that names a field. Pure: no files, no ranks. */
@NullMarked
package io.drumlin.format;

import org.jspecify.annotations.NullMarked;
