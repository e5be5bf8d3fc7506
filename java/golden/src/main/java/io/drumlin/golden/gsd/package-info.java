/** GSD cases: files of the C library and its Python package, read and written again. */
@NullMarked
package io.drumlin.golden.gsd;

import org.jspecify.annotations.NullMarked;
