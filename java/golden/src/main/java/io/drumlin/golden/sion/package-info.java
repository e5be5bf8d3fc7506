/** The SION cases: manifests, the byte pattern, and the comparison of files. */
@NullMarked
package io.drumlin.golden.sion;

import org.jspecify.annotations.NullMarked;
