/**
 * SIONlib files: the byte streams of many tasks in one or a few physical files, as channels.
 * {@link io.drumlin.sion.SionFile} opens them; docs/formats/sion.md describes the bytes.
 */
@NullMarked
package io.drumlin.sion;

import org.jspecify.annotations.NullMarked;
