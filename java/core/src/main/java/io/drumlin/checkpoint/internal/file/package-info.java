/** What a rank's file holds: the draft before it is written, the image in memory, the stored file. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.file;

import org.jspecify.annotations.NullMarked;
