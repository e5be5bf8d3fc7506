/** {@code drumlin diff}. */
@NullMarked
package io.drumlin.cli.diff;

import org.jspecify.annotations.NullMarked;
