/** A file of any format, as the commands see it: its data, its parts, its faults. */
@NullMarked
package io.drumlin.cli.file;

import org.jspecify.annotations.NullMarked;
