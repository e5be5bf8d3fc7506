/**
 * Staging of the program's own files to the parallel file system ({@code FTI_SendFile}). Not API: may change in any
 * release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.staging;

import org.jspecify.annotations.NullMarked;
