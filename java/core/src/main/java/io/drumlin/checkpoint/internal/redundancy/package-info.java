/** Partner copies and Reed-Solomon codes: how a lost file is sent or computed. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.redundancy;

import org.jspecify.annotations.NullMarked;
