/** {@code drumlin stat}: what a job spent on its checkpoints. */
@NullMarked
package io.drumlin.cli.stat;

import org.jspecify.annotations.NullMarked;
