/** {@code drumlin map}, and what draws pictures. */
@NullMarked
package io.drumlin.cli.picture;

import org.jspecify.annotations.NullMarked;
