/** Cases of the modes POSIX and MPI-IO of FTI. */
@NullMarked
package io.drumlin.golden.fti;

import org.jspecify.annotations.NullMarked;
