/** Signs that the job is to end, and the agreement of its ranks to stop (docs/adr/024-the-last-checkpoint.md). */
@NullMarked
package io.drumlin.checkpoint.internal.stop;

import org.jspecify.annotations.NullMarked;
