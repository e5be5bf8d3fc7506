/** The commands of one format: {@code drumlin sion}, {@code gsd}, and SCR's {@code index} and {@code halt}. */
@NullMarked
package io.drumlin.cli.tools;

import org.jspecify.annotations.NullMarked;
