/** Block files and the engines that write them. The package knows blocks, but neither formats nor ranks. */
@NullMarked
package io.drumlin.storage;

import org.jspecify.annotations.NullMarked;
