/**
 * Reads files and compares digests: everything that reaches the program was compared during the same read. Not API: may
 * change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.verify;

import org.jspecify.annotations.NullMarked;
