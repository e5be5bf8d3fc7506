/** Branches: runs that begin with a checkpoint of another run. Not API: the classes may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.branch;

import org.jspecify.annotations.NullMarked;
