/**
 * The content of a rank's file: the plan before it is written, the image in memory, and the stored file. Not API: may
 * change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.file;

import org.jspecify.annotations.NullMarked;
