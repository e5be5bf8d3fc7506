/**
 * Partner copies and Reed-Solomon codes: sends or computes lost files
 * (docs/adr/014-lost-files-are-made-while-the-others-are-verified.md). Not API: may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.redundancy;

import org.jspecify.annotations.NullMarked;
