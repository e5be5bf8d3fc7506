/** What a mode ({@code ckpt_io}) is to the rest of the engine. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.mode;

import org.jspecify.annotations.NullMarked;
