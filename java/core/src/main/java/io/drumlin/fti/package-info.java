/** Drop-in facade with the names and return codes of C FTI. */
@NullMarked
package io.drumlin.fti;

import org.jspecify.annotations.NullMarked;
