/** The lease, by which one job at a time has a run. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.lease;

import org.jspecify.annotations.NullMarked;
