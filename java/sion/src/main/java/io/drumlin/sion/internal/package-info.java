/** The files of tasks: opening them, where their chunks are, windows that are read ahead and stages that are written. */
@NullMarked
package io.drumlin.sion.internal;

import org.jspecify.annotations.NullMarked;
