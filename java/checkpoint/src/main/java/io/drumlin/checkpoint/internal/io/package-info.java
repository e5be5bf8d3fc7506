/** Slabs, lanes, and files that are written and read ahead. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.io;

import org.jspecify.annotations.NullMarked;
