/** Block files and the engines that write them. Knows blocks; knows neither formats nor ranks. */
@NullMarked
package io.drumlin.storage;

import org.jspecify.annotations.NullMarked;
