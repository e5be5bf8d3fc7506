/** What stands on the engines: replaced files, files as sources of bytes, slabs. */
@NullMarked
package io.drumlin.storage.internal.files;

import org.jspecify.annotations.NullMarked;
