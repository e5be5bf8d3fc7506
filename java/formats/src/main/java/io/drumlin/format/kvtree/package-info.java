/**
 * kvtree, the container of all files that SCR keeps; docs/formats/kvtree.md. The package has no access to files or the
 * clock.
 */
@NullMarked
package io.drumlin.format.kvtree;

import org.jspecify.annotations.NullMarked;
