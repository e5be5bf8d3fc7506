/**
 * The boundary to libdrumlin_mpi. Only this package and {@code io.drumlin.nativecore} know JavaCPP. Not API: may change
 * in any release.
 */
@NullMarked
package io.drumlin.nativecore.mpi;

import org.jspecify.annotations.NullMarked;
