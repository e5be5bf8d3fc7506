/** Datasets in the caches of the nodes: files, their places, and the newest to restart from. */
@NullMarked
package io.drumlin.scr.internal.cache;

import org.jspecify.annotations.NullMarked;
