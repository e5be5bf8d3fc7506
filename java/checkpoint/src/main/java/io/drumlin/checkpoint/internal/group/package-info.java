/** Groups: runs for the variables of a library, beside the run of the program (docs/adr/033-a-run-has-groups.md). */
@NullMarked
package io.drumlin.checkpoint.internal.group;

import org.jspecify.annotations.NullMarked;
