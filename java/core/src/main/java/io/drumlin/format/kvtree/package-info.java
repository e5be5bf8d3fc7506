/** kvtree, the container of all files that SCR keeps; docs/formats/kvtree.md. Pure: no files, no clock. */
@NullMarked
package io.drumlin.format.kvtree;

import org.jspecify.annotations.NullMarked;
