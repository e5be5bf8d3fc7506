/**
 * Drop-in facade with the names, constants and return codes of C FTI (its development head, version string 1.6).
 *
 * <p>{@link io.drumlin.fti.FTI} is thin: it turns exceptions of {@link io.drumlin.checkpoint.Checkpoints} into return
 * codes and prints the messages of C FTI. New programs should use {@code Checkpoints}.
 */
@NullMarked
package io.drumlin.fti;

import org.jspecify.annotations.NullMarked;
