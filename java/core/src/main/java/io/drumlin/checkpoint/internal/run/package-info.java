/** The life of a run: start, checkpoints, end; heads and clocks; what the API calls. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.run;

import org.jspecify.annotations.NullMarked;
