/** Protected variables as bytes. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.data;

import org.jspecify.annotations.NullMarked;
