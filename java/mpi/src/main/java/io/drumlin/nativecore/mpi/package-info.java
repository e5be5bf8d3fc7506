/** The boundary to libdrumlin_mpi. Beside {@code io.drumlin.nativecore} the only package that knows JavaCPP. */
@NullMarked
package io.drumlin.nativecore.mpi;

import org.jspecify.annotations.NullMarked;
