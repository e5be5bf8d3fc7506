/** What the cases of all formats share: where they are, how a manifest is read, and how a case came out. */
@NullMarked
package io.drumlin.golden.base;

import org.jspecify.annotations.NullMarked;
