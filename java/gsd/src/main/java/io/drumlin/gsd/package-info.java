/** GSD files: frames of named chunks, written by one process or by many ranks, and the hoomd schema on top of them. */
@NullMarked
package io.drumlin.gsd;

import org.jspecify.annotations.NullMarked;
