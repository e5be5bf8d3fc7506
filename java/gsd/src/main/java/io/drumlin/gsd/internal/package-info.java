/** Writing frames: elements as bytes, what waits in memory, and the index of what was written. */
@NullMarked
package io.drumlin.gsd.internal;

import org.jspecify.annotations.NullMarked;
