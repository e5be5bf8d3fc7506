/** Objects of the program as bytes: what a {@code Codec} describes, and the schema that is stored with it. */
@NullMarked
package io.drumlin.checkpoint.internal.object;

import org.jspecify.annotations.NullMarked;
