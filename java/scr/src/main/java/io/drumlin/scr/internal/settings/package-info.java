/** What the parameters mean. */
@NullMarked
package io.drumlin.scr.internal.settings;

import org.jspecify.annotations.NullMarked;
