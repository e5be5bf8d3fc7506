/** Groups: runs for the variables of a library, beside the run of the program. */
@NullMarked
package io.drumlin.checkpoint.internal.group;

import org.jspecify.annotations.NullMarked;
