package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The engine's implementation of an incremental checkpoint. */
public final class VariableByVariable implements IncrementalCheckpoint {

    private final int ckptId;
    private final Communicator app;
    private final Target target;
    private @Nullable IOException failure;
    private boolean closed;

    /** The file or files that receive the variables. */
    public interface Target extends Closeable {

        /**
         * Checks that a variable can be added.
         *
         * @throws IllegalArgumentException the variable is not protected or was already added
         */
        void requireNew(int id);

        void add(int id) throws IOException;
        /**
         * Completes the checkpoint, or fails on all ranks.
         *
         * @param failure failure of an addition on this rank, or {@code null}
         */
        CheckpointReport commit(@Nullable IOException failure) throws IOException;
    }

    /**
     * Begins an incremental checkpoint.
     *
     * @param app the ranks that commit together
     */
    public VariableByVariable(int ckptId, Communicator app, Target target) {
        this.ckptId = ckptId;
        this.app = app;
        this.target = target;
    }

    public int ckptId() {
        return ckptId;
    }

    public boolean isClosed() {
        return closed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("incremental checkpoint " + ckptId + " is closed");
        }
    }

    @Override
    public void add(int id) {
        requireOpen();
        target.requireNew(id);
        if (failure == null) {
            String operation = "adding variable " + id + " to incremental checkpoint " + ckptId;
            failure = Agreement.attempt(app, operation, () -> target.add(id));
        }
    }

    @Override
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public CheckpointReport commit() throws IOException {
        requireOpen();
        try {
            CheckpointReport taken = target.commit(failure);
            close();
            return taken;
        } catch (Throwable e) {
            Closeables.closeAfter(e, List.of(this::close));
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            target.close();
        }
    }
}
