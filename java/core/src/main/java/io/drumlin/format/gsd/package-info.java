/** GSD, from bytes to records and back. Pure: no files, no ranks, no clock. */
@NullMarked
package io.drumlin.format.gsd;

import org.jspecify.annotations.NullMarked;
