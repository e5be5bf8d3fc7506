/** What the prefix directory says of datasets: the index and the metadata of each dataset. */
@NullMarked
package io.drumlin.scr.internal.index;

import org.jspecify.annotations.NullMarked;
