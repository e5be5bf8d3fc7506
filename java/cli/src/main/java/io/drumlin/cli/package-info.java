/** The {@code drumlin} command. */
@NullMarked
package io.drumlin.cli;

import org.jspecify.annotations.NullMarked;
