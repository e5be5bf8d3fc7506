/** When a job is to end. */
@NullMarked
package io.drumlin.scr.internal.halt;

import org.jspecify.annotations.NullMarked;
