/** Files of C SIONlib, whose tasks share one or a few physical files. docs/formats/sion.md describes the bytes. */
@NullMarked
package io.drumlin.format.sion;

import org.jspecify.annotations.NullMarked;
