package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.data.AsyncCopy;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.engine.HeadHandoff.Outcome;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.mode.DirectFile;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint that a thread of the rank, or the head of its node, finishes while the program computes. Used by one
 * thread of the program.
 */
public final class PendingCheckpoint {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Engine engine;
    private final CheckpointCoordinator coordinator;
    private final RecoverySource last;
    private final CheckpointThread thread;
    private final AsyncCopy staged;
    private final Optional<HeadHandoff> handedOver;
    private final Optional<Consumer<IOException>> lateFailures;
    private @Nullable Outcome headsOutcome;
    private Optional<IOException> late = Optional.empty();

    public PendingCheckpoint(Engine engine, RecoverySource last, Optional<Consumer<IOException>> lateFailures) {
        this.engine = engine;
        this.last = last;
        this.lateFailures = lateFailures;
        coordinator = engine.coordinator();
        thread = new CheckpointThread(engine.run().topology().rank());
        staged = new AsyncCopy(engine.storage());
        handedOver = engine.run().headLink().map(HeadHandoff::new);
    }

    public boolean isUnderway() {
        return thread.isUnderway() || handedOver.map(HeadHandoff::isUnderway).orElse(false);
    }

    /** Makes the head remove what earlier checkpoints have left. Collective. */
    public void tidy() throws IOException {
        if (handedOver.isPresent()) {
            handedOver.get().tidy();
        }
    }

    /** Copies the data and leaves the rest to a thread. Collective. */
    public CheckpointReport takeInBackground(
            int ckptId, Level level, long timestamp, Map<Integer, ProtectedData> data, CheckpointTrace trace)
            throws IOException {
        Map<Integer, ProtectedData> copies = new LinkedHashMap<>();
        Agreement.run(engine.app(), "copying the data of checkpoint " + ckptId, () -> {
            copies.putAll(staged.copy(data));
        });
        RankFileWriter own = new DirectFile(copies, engine.mode(), engine.storage(), engine.slabs());
        CheckpointReport soFar = trace.stalled(
                "thread", data.values().stream().mapToLong(ProtectedData::size).sum());
        thread.start(() -> coordinator.takeCheckpoint(ckptId, level, timestamp, own, trace));
        return soFar;
    }

    /** Leaves the remaining work on this rank's file to the head. Either every rank does so, or none. */
    public void handOver(int ckptId, Level level, long timestamp, FilePlan filePlan, CheckpointTrace trace)
            throws IOException {
        handedOver.orElseThrow().handOver(new HeadHandoff.Checkpoint(ckptId, level, filePlan, trace), timestamp);
    }

    /**
     * Waits until the checkpoint is complete and the one that it replaces is deleted. Collective.
     *
     * @throws IOException on all ranks: the checkpoint failed, and there is no handler
     */
    public void await() throws IOException {
        awaitHere();
        engine.levels().awaitDeletion();
        Outcome ofHeads = headsOutcome;
        Optional<IOException> failed = late;
        headsOutcome = null;
        late = Optional.empty();
        if (ofHeads != null && ofHeads.answer().committed()) {
            engine.restartSection().confirm();
        } else if (ofHeads != null && ofHeads.answer().outcome() == HeadLink.Outcome.FAILED) {
            failed.ifPresent(coordinator::takeBackFailure);
        }
        if (failed.isPresent()) {
            lateFailures.orElseThrow(failed::get).accept(failed.get());
        }
    }

    /**
     * Waits for this rank's thread or the head of its node, and records the outcome of the checkpoint. Not collective.
     */
    public void awaitHere() throws IOException {
        try {
            Optional<CheckpointOutcome> taken = thread.await();
            if (taken.isPresent()) {
                last.set(taken.get());
                late = taken.get().late();
            }
        } catch (IOException e) {
            late = Optional.of(e);
        }
        Optional<Outcome> ended = handedOver.isPresent() ? handedOver.get().await() : Optional.empty();
        if (ended.isPresent()) {
            headsOutcome = ended.get();
            late = ended.get().answer().failure().map(this::told);
            CheckpointTrace trace = ended.get().checkpoint().trace();
            if (ended.get().answer().committed()) {
                CheckpointReport report = trace.doneByHead(ended.get().answer().nanos());
                last.set(coordinator.finishedByHead(ended.get().checkpoint()), report);
            } else {
                late.ifPresent(trace::failed);
            }
        }
    }

    /**
     * Returns the failure that the head reported. If the head does not know the outcome of the checkpoint, this rank
     * does not know it either.
     */
    private IOException told(DrumlinException failure) {
        return failure instanceof MeetingException unknown ? coordinator.notKnown(unknown) : failure;
    }

    /**
     * Waits for the end of the checkpoint, whose outcome is no longer needed, and tells the head that the application
     * leaves.
     */
    public void leave() throws IOException {
        awaitHere();
        late.ifPresent(why -> LOG.log(Logger.Level.WARNING, why.getMessage()));
        if (handedOver.isPresent()) {
            handedOver.get().leave();
        }
    }

    /**
     * Waits a limited time for the end of a checkpoint that a thread takes, and frees the memory if the thread has ended.
     *
     * @return whether it has
     */
    public boolean abandon() {
        boolean ended = thread.abandon();
        if (ended) {
            staged.close();
        }
        return ended;
    }

    /** Frees the memory. */
    public void close() {
        staged.close();
    }
}
