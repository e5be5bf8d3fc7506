/** What a command line names: a file with its metadata, a checkpoint of a run, a configuration, a prefix directory. */
@NullMarked
package io.drumlin.cli.input;

import org.jspecify.annotations.NullMarked;
