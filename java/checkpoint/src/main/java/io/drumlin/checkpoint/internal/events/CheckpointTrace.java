package io.drumlin.checkpoint.internal.events;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.internal.SlowestRank;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times of a checkpoint on this rank, from which its report, its events and its line in the log are made. Used by
 * the thread of the program, and after {@link #stalled} by the thread that finishes the checkpoint.
 */
public final class CheckpointTrace {

    private final RunEvents run;
    private final int ckptId;
    private final Level level;
    private final StepTimer whole;
    private final long begin = System.nanoTime();
    private final List<StepTimer> steps = new ArrayList<>(3);
    private @Nullable StepTimer current;
    private long met = begin;
    private long durable = begin;
    private long end = begin;
    private long stalled = -1;
    private long bytes;
    private String finisher = "program";

    /** Begins a checkpoint. */
    public CheckpointTrace(RunEvents run, int ckptId, Level level) {
        this.run = run;
        this.ckptId = ckptId;
        this.level = level;
        whole = run.begin(Step.CHECKPOINT);
    }

    /** Records that all ranks have begun. */
    public void met() {
        met = System.nanoTime();
        durable = met;
    }

    /** Begins a step. */
    public void begin(Step step) {
        current = run.begin(step);
    }

    /** Records which rank is the slowest in the step under way. */
    public void slowest(SlowestRank found) {
        if (current != null) {
            current.slowest(found);
        }
    }

    /**
     * Ends the step under way.
     *
     * @param bytesOfRank bytes of this rank's file
     */
    public void end(long bytesOfRank) {
        if (current != null) {
            current.end(ckptId, level, bytesOfRank);
            steps.add(current);
            current = null;
        }
        bytes = bytesOfRank;
    }

    /** Records that this rank's files are durable. */
    public void durable() {
        durable = System.nanoTime();
    }

    /**
     * Records that the program goes on before the checkpoint is finished.
     *
     * @param by who finishes it
     * @return the report of the checkpoint so far
     */
    public CheckpointReport stalled(String by, long bytesOfRank) {
        finisher = by;
        bytes = bytesOfRank;
        durable = System.nanoTime();
        end = durable;
        stalled = end - begin;
        return report();
    }

    /**
     * Records that the checkpoint is in its place.
     *
     * @return the complete report
     */
    public CheckpointReport done() {
        end = System.nanoTime();
        return record();
    }

    /**
     * Records that a head has finished the checkpoint.
     *
     * @param nanos time of the head's work
     * @return the complete report
     */
    public CheckpointReport doneByHead(long nanos) {
        end = durable + nanos;
        return record();
    }

    private CheckpointReport record() {
        whole.end(ckptId, level, bytes);
        CheckpointReport report = report();
        run.checkpoint(report, stalled < 0 ? report.seconds() : stalled / 1e9, finisher, steps);
        return report;
    }

    /** Does work on the checkpoint, and records that it failed on all ranks. */
    public <T> T guard(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (IOException failure) {
            failed(failure);
            throw failure;
        }
    }

    /** Work on a checkpoint. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does the work; if it fails, it fails on all ranks. */
        T run() throws IOException;
    }

    /** Records that the checkpoint failed on all ranks. */
    public void failed(IOException failure) {
        run.failed(ckptId, level, failure);
    }

    private CheckpointReport report() {
        return new CheckpointReport(
                ckptId, level, bytes, (met - begin) / 1e9, (durable - met) / 1e9, (end - durable) / 1e9);
    }
}
