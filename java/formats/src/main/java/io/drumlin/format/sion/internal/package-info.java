/** The metadata of SIONlib files: read, laid out, and the streams of tasks that they describe. */
@NullMarked
package io.drumlin.format.sion.internal;

import org.jspecify.annotations.NullMarked;
