/** Reading with digests: what reaches the program was compared on that read. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.verify;

import org.jspecify.annotations.NullMarked;
