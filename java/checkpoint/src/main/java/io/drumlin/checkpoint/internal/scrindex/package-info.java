/** The checkpoints of a run in the index of SCR. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.scrindex;

import org.jspecify.annotations.NullMarked;
