/** The SCR cases: kvtree files, indexes, listings, restart choices, redundancy. */
@NullMarked
package io.drumlin.golden.scr;

import org.jspecify.annotations.NullMarked;
