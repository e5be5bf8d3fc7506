/** The runs of a configuration file: list, restore, delete ({@code drumlin run}). Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.catalogue;

import org.jspecify.annotations.NullMarked;
