/**
 * What happens in a run, for those who look at it: events of the JDK Flight Recorder, and a log of JSON lines. Not API:
 * may change in any release.
 */
@NullMarked
package io.drumlin.checkpoint.internal.events;

import org.jspecify.annotations.NullMarked;
