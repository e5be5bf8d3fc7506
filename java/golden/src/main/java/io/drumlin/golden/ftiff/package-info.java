/** The FTI-FF cases: manifests, values, and the comparison of files and run directories. */
@NullMarked
package io.drumlin.golden.ftiff;

import org.jspecify.annotations.NullMarked;
