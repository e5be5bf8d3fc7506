/** {@code drumlin launch} and {@code scavenge}: jobs, their nodes, and the files that are left on these. */
@NullMarked
package io.drumlin.cli.launch;

import org.jspecify.annotations.NullMarked;
