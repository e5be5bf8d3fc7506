/** Drumlin: checkpoints and parallel I/O for Java on HPC machines. */
@NullMarked
package io.drumlin;

import org.jspecify.annotations.NullMarked;
