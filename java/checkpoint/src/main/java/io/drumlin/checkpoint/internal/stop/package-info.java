/** Signs that the job is to end, and the agreement of its ranks to stop. */
@NullMarked
package io.drumlin.checkpoint.internal.stop;

import org.jspecify.annotations.NullMarked;
