/** The configuration file, {@code config.fti}, and the names of a run's files. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.config;

import org.jspecify.annotations.NullMarked;
