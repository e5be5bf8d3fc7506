package io.drumlin.fti;

import java.io.IOException;

/** What the end of a process does for a rank that is a thread: frees its memory, leaves its files. */
public final class Crash {

    private Crash() {}

    /** Ends the run of this rank without {@code FTI_Finalize}, if there is one. Collective. */
    public static void now() throws IOException {
        FTI.leave();
    }
}
