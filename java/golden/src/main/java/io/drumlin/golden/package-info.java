/** Conformance with files that the C originals wrote. */
@NullMarked
package io.drumlin.golden;

import org.jspecify.annotations.NullMarked;
