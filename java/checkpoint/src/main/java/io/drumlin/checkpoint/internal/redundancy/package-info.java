/** Partner copies and Reed-Solomon codes: sends or computes lost files. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.redundancy;

import org.jspecify.annotations.NullMarked;
