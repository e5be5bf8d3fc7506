/** Agreement on failures, and what carries the messages: its providers, the checks that all make, the launcher. */
@NullMarked
package io.drumlin.comm.internal;

import org.jspecify.annotations.NullMarked;
