/** FTI-FF, from bytes to records and back. The package has no access to files, ranks or the clock. */
@NullMarked
package io.drumlin.format.ftiff;

import org.jspecify.annotations.NullMarked;
