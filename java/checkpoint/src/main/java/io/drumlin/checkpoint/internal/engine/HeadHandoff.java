package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.checkpoint.internal.topology.HeadLink.Answer;
import io.drumlin.checkpoint.internal.topology.HeadLink.Order;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The checkpoint that an application rank has handed over to the head of its node; at most one at a time. */
public final class HeadHandoff {

    private final HeadLink link;
    private @Nullable Checkpoint underway;

    /** Levels of failed checkpoints, which the head may not have undone completely. */
    private final EnumSet<Level> untidy = EnumSet.noneOf(Level.class);

    HeadHandoff(HeadLink link) {
        this.link = link;
    }

    /** A checkpoint whose files lie in the local {@code tmp}. */
    record Checkpoint(int ckptId, Level level, FilePlan filePlan, CheckpointTrace trace) {}

    /** The outcome of a checkpoint, the same on all ranks. */
    record Outcome(Checkpoint checkpoint, Answer answer) {}

    boolean isUnderway() {
        return underway != null;
    }

    /** Makes the head remove what earlier checkpoints have left, so that {@code tmp} can be used. Collective. */
    void tidy() throws IOException {
        for (Level level : EnumSet.copyOf(untidy)) {
            link.send(Order.tidy(level));
            Answer answer = link.answer();
            if (answer.failure().isPresent()) {
                throw answer.failure().get();
            }
            untidy.remove(level);
        }
    }

    /** Hands over a checkpoint to the head. Either every application rank does so, or none. */
    void handOver(Checkpoint checkpoint, long timestamp) throws IOException {
        FilePlan filePlan = checkpoint.filePlan();
        link.send(new Order(HeadLink.Task.FINISH, checkpoint.level(), checkpoint.ckptId(), timestamp, filePlan.size()));
        underway = checkpoint;
    }

    /** Waits until the head has finished; returns empty if it has nothing to do. Not collective. */
    Optional<Outcome> await() throws IOException {
        Checkpoint checkpoint = underway;
        if (checkpoint == null) {
            return Optional.empty();
        }
        underway = null;
        Answer answer = link.answer();
        if (!answer.committed()) {
            untidy.add(checkpoint.level());
        }
        return Optional.of(new Outcome(checkpoint, answer));
    }

    /** Tells the head that the application leaves. */
    void leave() throws IOException {
        link.send(Order.end());
    }
}
