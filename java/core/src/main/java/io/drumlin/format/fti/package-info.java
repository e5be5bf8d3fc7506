/** The INI files of C FTI, from bytes to records and back. Pure: no files, no ranks, no clock. */
@NullMarked
package io.drumlin.format.fti;

import org.jspecify.annotations.NullMarked;
