/**
 * The interface between an I/O mode ({@code ckpt_io}) and the rest of the engine. Not API: may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.mode;

import org.jspecify.annotations.NullMarked;
