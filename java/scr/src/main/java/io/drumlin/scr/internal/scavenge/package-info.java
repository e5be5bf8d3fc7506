/** What a job that has ended left in its caches, brought to the prefix directory. */
@NullMarked
package io.drumlin.scr.internal.scavenge;

import org.jspecify.annotations.NullMarked;
