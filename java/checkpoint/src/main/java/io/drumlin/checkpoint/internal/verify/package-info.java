/**
 * Reads files and compares digests: everything that reaches the program was compared during the same read
 * (docs/adr/018-digests-of-our-own.md). Not API: may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.verify;

import org.jspecify.annotations.NullMarked;
