/** Recognises a file, and has the files of SCR, SIONlib and GSD. */
@NullMarked
package io.drumlin.cli.format;

import org.jspecify.annotations.NullMarked;
