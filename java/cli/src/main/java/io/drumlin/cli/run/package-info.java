/** {@code drumlin run}: the runs of a configuration file and their checkpoints. */
@NullMarked
package io.drumlin.cli.run;

import org.jspecify.annotations.NullMarked;
