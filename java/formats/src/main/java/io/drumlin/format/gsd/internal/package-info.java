/** Header, index and names of a GSD file. */
@NullMarked
package io.drumlin.format.gsd.internal;

import org.jspecify.annotations.NullMarked;
