/** Digests and erasure codes over memory. */
@NullMarked
package io.drumlin.integrity;

import org.jspecify.annotations.NullMarked;
