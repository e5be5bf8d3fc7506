/** The mode FTI-FF (3). Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.ftiff;

import org.jspecify.annotations.NullMarked;
