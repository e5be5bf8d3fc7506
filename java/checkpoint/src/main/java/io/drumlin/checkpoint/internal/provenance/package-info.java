/** The record of a run's starts. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.provenance;

import org.jspecify.annotations.NullMarked;
