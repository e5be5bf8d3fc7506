/**
 * Files of SIONlib: the byte streams of many tasks in one physical file or a few, as channels. {@link
 * io.drumlin.sion.SionFile} opens them; docs/formats/sion.md describes the bytes.
 */
@NullMarked
package io.drumlin.sion;

import org.jspecify.annotations.NullMarked;
