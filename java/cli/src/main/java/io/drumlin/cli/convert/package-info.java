/** {@code drumlin convert}. */
@NullMarked
package io.drumlin.cli.convert;

import org.jspecify.annotations.NullMarked;
