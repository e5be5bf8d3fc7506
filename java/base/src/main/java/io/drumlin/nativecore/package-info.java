/** The boundary to the C core. No other package knows JavaCPP. Not API: may change in any release. */
@NullMarked
package io.drumlin.nativecore;

import org.jspecify.annotations.NullMarked;
