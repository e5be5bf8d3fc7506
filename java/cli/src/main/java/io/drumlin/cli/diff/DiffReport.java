package io.drumlin.cli.diff;

import java.io.Closeable;
import java.io.IOException;

/** Tells what a comparison has found. */
interface DiffReport extends Closeable {

    /** Begins with the names of both sides. */
    void begin(ComparedSide a, ComparedSide b) throws IOException;

    /** Adds data that both sides have and that were compared. */
    void pair(ComparedPair pair) throws IOException;

    /**
     * Adds data that only one side has.
     *
     * @param side A or B
     * @param label data, rank or frame, for people
     */
    void only(String side, String label) throws IOException;

    /** Ends with the counts. */
    void end(DiffSummary summary) throws IOException;
}
