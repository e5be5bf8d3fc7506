/**
 * Communicators: ranks of one job, whatever carries the messages. The package knows ranks, but neither formats nor
 * files.
 */
@NullMarked
package io.drumlin.comm;

import org.jspecify.annotations.NullMarked;
