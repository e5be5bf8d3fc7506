/** Files and messages: kvtree files, attributes of files, copies at a pace, the paths below the prefix directory. */
@NullMarked
package io.drumlin.scr.internal.store;

import org.jspecify.annotations.NullMarked;
