package io.drumlin.checkpoint.internal.events;

import io.drumlin.comm.internal.SlowestRank;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The events of the JDK Flight Recorder. Only {@link FlightEvents} uses this class, because a JDK may have no Flight
 * Recorder. The classes of the events are loaded when something is recorded.
 */
final class JfrEvents {

    private JfrEvents() {}

    /** Returns whether there is a recording, or was one. */
    static boolean isRecording() {
        return FlightRecorder.isInitialized();
    }

    static FlightEvent begin(Step step) {
        Timed event =
                switch (step) {
                    case CHECKPOINT -> new CheckpointEvent();
                    case WRITE -> new WriteEvent();
                    case EXCHANGE -> new ExchangeEvent();
                    case COMMIT -> new CommitEvent();
                    case RECOVER -> new RecoverEvent();
                    case REBUILD -> new RebuildEvent();
                };
        event.begin();
        return event;
    }

    /** What all events have. The duration is that of this rank. */
    @Category("Drumlin")
    @StackTrace(false)
    abstract static class Timed extends Event implements FlightEvent {

        @Label("Rank")
        int rank;

        @Label("Checkpoint")
        @Description("Id of the checkpoint, -1 if there is none")
        int ckptId;

        @Label("Level")
        int level;

        @Label("Bytes")
        @Description("Bytes of this rank")
        @DataAmount
        long bytes;

        @Label("Slowest Rank")
        @Description("The rank that took longest, -1 if unknown")
        int slowestRank;

        @Label("Time of Slowest Rank")
        @Timespan
        long slowestTime;

        @Override
        public void record(int rank, int ckptId, int level, long bytes, @Nullable SlowestRank slowest) {
            end();
            if (shouldCommit()) {
                this.rank = rank;
                this.ckptId = ckptId;
                this.level = level;
                this.bytes = bytes;
                slowestRank = slowest == null ? -1 : slowest.rank();
                slowestTime = slowest == null ? 0 : slowest.nanos();
                commit();
            }
        }
    }

    @Name("drumlin.Checkpoint")
    @Label("Checkpoint")
    @Description("A checkpoint, from the call until it is in its place on all ranks")
    static final class CheckpointEvent extends Timed {}

    @Name("drumlin.Write")
    @Label("Write")
    @Description("Writing the file of this rank")
    static final class WriteEvent extends Timed {}

    @Name("drumlin.Exchange")
    @Label("Exchange")
    @Description("Sending the partner copy, or computing the Reed-Solomon code")
    static final class ExchangeEvent extends Timed {}

    @Name("drumlin.Commit")
    @Label("Commit")
    @Description("Putting a checkpoint into its place on all nodes")
    static final class CommitEvent extends Timed {}

    @Name("drumlin.Recover")
    @Label("Recover")
    @Description("Finding a checkpoint at a restart, or reading it into the variables")
    static final class RecoverEvent extends Timed {}

    @Name("drumlin.Rebuild")
    @Label("Rebuild")
    @Description("Sending or computing lost files of a checkpoint")
    static final class RebuildEvent extends Timed {}
}
