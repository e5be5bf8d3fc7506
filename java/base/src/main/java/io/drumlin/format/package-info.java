/**
 * The common parts of all file formats: a source of bytes, findings, and the error that names a field. The package has
 * no access to files or ranks.
 */
@NullMarked
package io.drumlin.format;

import org.jspecify.annotations.NullMarked;
