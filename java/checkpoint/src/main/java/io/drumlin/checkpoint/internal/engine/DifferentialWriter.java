package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Writes the files of a differential checkpoint in a place where nothing takes them for a checkpoint yet
 * (docs/adr/008-differential-checkpoints-in-two-files.md).
 */
final class DifferentialWriter {

    private final Communicator app;
    private final RunDirectory directories;
    private final CommitProtocol levels;
    private final StorageEngine storage;
    private final IoMode mode;

    DifferentialWriter(
            Communicator app, RunDirectory directories, CommitProtocol levels, StorageEngine storage, IoMode mode) {
        this.app = app;
        this.directories = directories;
        this.levels = levels;
        this.storage = storage;
        this.mode = mode;
    }

    /**
     * Writes all files and makes them durable, but does not commit them. Collective.
     *
     * @param timestamp the same on all ranks
     * @param own this rank's file
     * @param trace receives the times
     * @return the plan of the file that this rank wrote
     * @throws IOException on all ranks, if it failed on any
     */
    FilePlan write(int ckptId, long timestamp, RankFileWriter own, CheckpointTrace trace) throws IOException {
        trace.begin(Step.WRITE);
        String operation = "differential checkpoint " + ckptId;
        FilePlan filePlan = Agreement.call(app, operation, () -> own.planFile(ckptId, timestamp));
        Agreement.Step write = () -> {
            Path file = mode.differentialFile(directories);
            own.write(file, filePlan, digests -> filePlan.seal(digests, -1, -1));
            own.close();
            storage.syncDirectory(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        };
        Agreement.run(app, operation, write, trace::slowest);
        trace.end(filePlan.size());
        mode.describe(Level.L4_DCP, filePlan, timestamp, Optional.empty());
        levels.takeSpare();
        return filePlan;
    }
}
