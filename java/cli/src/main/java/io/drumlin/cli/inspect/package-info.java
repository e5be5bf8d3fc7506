/** {@code drumlin inspect}, {@code verify}, {@code show} and {@code extract}. */
@NullMarked
package io.drumlin.cli.inspect;

import org.jspecify.annotations.NullMarked;
