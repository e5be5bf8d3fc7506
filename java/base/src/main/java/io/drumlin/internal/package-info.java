/** What all packages use: texts for people, faults of memory, what the batch system says. */
@NullMarked
package io.drumlin.internal;

import org.jspecify.annotations.NullMarked;
