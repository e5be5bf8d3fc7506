/** What all commands use: exit codes, tables, progress, files that are replaced. */
@NullMarked
package io.drumlin.cli.base;

import org.jspecify.annotations.NullMarked;
