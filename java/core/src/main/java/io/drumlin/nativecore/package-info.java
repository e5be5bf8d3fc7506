/** The boundary to the C core. The only package that knows JavaCPP. */
@NullMarked
package io.drumlin.nativecore;

import org.jspecify.annotations.NullMarked;
