package io.drumlin.checkpoint.internal.events;

import org.jspecify.annotations.Nullable;

/** Begins events of the JDK Flight Recorder, if there is one: an image made by jlink may lack the module jdk.jfr. */
final class FlightEvents {

    private static final boolean AVAILABLE = isAvailable();

    private FlightEvents() {}

    private static boolean isAvailable() {
        try {
            JfrEvents.isRecording();
            return true;
        } catch (LinkageError e) {
            return false;
        }
    }

    /** Begins an event; returns null if nothing is recorded. */
    static @Nullable FlightEvent begin(Step step) {
        return AVAILABLE && JfrEvents.isRecording() ? JfrEvents.begin(step) : null;
    }
}
