/** The order in which a restart tries modes, levels and places. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.restart;

import org.jspecify.annotations.NullMarked;
