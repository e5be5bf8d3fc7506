/** What the formats share that programs do not meet: faults that are collected, names that files store, digests of ranges. */
@NullMarked
package io.drumlin.format.internal;

import org.jspecify.annotations.NullMarked;
