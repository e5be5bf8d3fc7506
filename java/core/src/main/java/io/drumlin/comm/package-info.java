/** Communicators: ranks of one job, whatever carries the messages. Knows ranks; knows neither formats nor files. */
@NullMarked
package io.drumlin.comm;

import org.jspecify.annotations.NullMarked;
