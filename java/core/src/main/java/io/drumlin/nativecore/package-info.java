/** The boundary to the C core. No other package knows JavaCPP. */
@NullMarked
package io.drumlin.nativecore;

import org.jspecify.annotations.NullMarked;
