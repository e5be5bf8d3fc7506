/** SINGLE, PARTNER, XOR and RS: which ranks belong together, and making lost files. */
@NullMarked
package io.drumlin.scr.internal.redundancy;

import org.jspecify.annotations.NullMarked;
