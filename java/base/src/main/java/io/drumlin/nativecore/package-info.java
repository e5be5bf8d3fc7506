/**
 * The boundary to the C core. No other package knows JavaCPP (docs/adr/004-glue-without-javacpp-at-run-time.md). Not API:
 * may change in any release.
 */
@NullMarked
package io.drumlin.nativecore;

import org.jspecify.annotations.NullMarked;
