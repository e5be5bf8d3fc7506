package io.drumlin.checkpoint.internal.events;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.comm.internal.SlowestRank;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Records what happens in a run on this rank: in the JDK Flight Recorder, and in the log of events. Thread-safe. */
public final class RunEvents implements Closeable {

    private final int rank;
    private final Optional<EventLog> log;
    private boolean ended;

    private RunEvents(int rank, Optional<EventLog> log) {
        this.rank = rank;
        this.log = log;
    }

    /**
     * Begins to record the events of a run.
     *
     * @param first whether this is the first rank of the application
     */
    public static RunEvents of(String execId, int rank, boolean first) {
        return new RunEvents(rank, EventLog.open(execId, rank, first));
    }

    /** Returns an object that does not log, for those that only read the files of a run. */
    public static RunEvents none() {
        return new RunEvents(0, Optional.empty());
    }

    /** Begins a step of this rank. */
    public StepTimer begin(Step step) {
        return new StepTimer(step, rank);
    }

    /** Records that the run is open. */
    public void started(RunDescription run, int ranks, String status, String storage) {
        log.ifPresent(file -> file.write(file.line("start")
                .add("ranks", ranks)
                .add("nodes", run.nodes())
                .add("group_size", run.groupSize())
                .add("ckpt_io", run.ioMode())
                .add("status", status)
                .add("storage", storage)
                .add("config", run.configFile().toString())
                .add("pid", ProcessHandle.current().pid())));
    }

    void checkpoint(CheckpointReport report, double stall, String finisher, List<StepTimer> steps) {
        if (log.isEmpty()) {
            return;
        }
        JsonLine line = of("checkpoint", report.ckptId(), report.level())
                .add("bytes", report.bytes())
                .add("seconds", report.seconds())
                .add("stall", stall)
                .add("finisher", finisher)
                .add("wait", report.waitSeconds());
        for (StepTimer step : steps) {
            line.add(step.step().key(), step.seconds());
        }
        line.object("slowest");
        for (StepTimer step : steps) {
            SlowestRank slowest = step.slowest();
            if (slowest != null) {
                line.object(step.step().key())
                        .add("rank", slowest.rank())
                        .add("seconds", slowest.seconds())
                        .end();
            }
        }
        log.get().write(line.end());
    }

    private JsonLine of(String event, int ckptId, Level level) {
        JsonLine line = log.orElseThrow().line(event).add("id", ckptId).add("level", level.number());
        return level == Level.L4_DCP ? line.add("differential", true) : line;
    }

    /**
     * Ends the search for a checkpoint at a restart, or the reading of its data, and records it.
     *
     * @param what the part of the recovery
     */
    public void recovered(StepTimer timer, String what, int ckptId, Level level, long bytes) {
        timer.end(ckptId, level, bytes);
        log.ifPresent(file -> file.write(of("recovery", ckptId, level)
                .add("bytes", bytes)
                .add("seconds", timer.seconds())
                .add("what", what)));
    }

    /**
     * Ends the rebuilding of lost files, and records it.
     *
     * @param own bytes of this rank's rebuilt files
     * @param files number of the rebuilt files of all ranks
     * @param bytes bytes of the rebuilt files of all ranks
     */
    public void rebuilt(StepTimer timer, int ckptId, Level level, long own, long files, long bytes) {
        timer.end(ckptId, level, own);
        log.ifPresent(file -> file.write(of("rebuild", ckptId, level)
                .add("bytes", bytes)
                .add("files", files)
                .add("seconds", timer.seconds())));
    }

    /** Records a checkpoint that failed on all ranks. */
    void failed(int ckptId, Level level, IOException failure) {
        log.ifPresent(file -> file.write(of("failure", ckptId, level)
                .add("operation", "checkpoint")
                .add("message", String.valueOf(failure.getMessage()))));
    }

    /** Records an operation that failed on all ranks. */
    public void failed(String operation, Throwable failure) {
        log.ifPresent(file -> file.write(
                file.line("failure").add("operation", operation).add("message", String.valueOf(failure.getMessage()))));
    }

    /**
     * Records the end of the run, once.
     *
     * @param how the call that ended it
     */
    public void ended(String how) {
        if (!ended) {
            ended = true;
            log.ifPresent(file -> file.write(file.line("end").add("how", how)));
        }
    }

    @Override
    public void close() {
        ended("close");
        log.ifPresent(EventLog::close);
    }
}
