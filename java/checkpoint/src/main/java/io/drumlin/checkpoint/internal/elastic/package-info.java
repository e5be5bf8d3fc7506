/** Restart with another number of ranks (docs/adr/010-other-numbers-of-ranks.md). Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.elastic;

import org.jspecify.annotations.NullMarked;
