package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.checkpoint.internal.topology.HeadLink.Answer;
import io.drumlin.checkpoint.internal.topology.HeadLink.Order;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an application rank has handed over to the head of its node: at most one checkpoint at a time. */
public final class HeadHandoff {

    private final HeadLink link;
    private @Nullable Checkpoint underway;

    /** Levels of checkpoints that failed; the head may not have been able to take back all of it. */
    private final EnumSet<Level> untidy = EnumSet.noneOf(Level.class);

    HeadHandoff(HeadLink link) {
        this.link = link;
    }

    /** A checkpoint whose files lie in the local {@code tmp}. */
    record Checkpoint(int ckptId, Level level, FilePlan draft) {}

    /** What has come of it, the same on all ranks. */
    record Outcome(Checkpoint checkpoint, Answer answer) {}

    boolean isUnderway() {
        return underway != null;
    }

    /** Lets the head take back what earlier checkpoints have left, so that {@code tmp} can be used. Collective. */
    void tidy() throws IOException {
        for (Level level : EnumSet.copyOf(untidy)) {
            link.give(Order.tidy(level));
            Answer answer = link.answer();
            if (answer.failure().isPresent()) {
                throw answer.failure().get();
            }
            untidy.remove(level);
        }
    }

    /** Hands a checkpoint over. Every rank of the application does so, or none. */
    void give(Checkpoint checkpoint, long timestamp) throws IOException {
        FilePlan draft = checkpoint.draft();
        link.give(new Order(HeadLink.Task.FINISH, checkpoint.level(), checkpoint.ckptId(), timestamp, draft.size()));
        underway = checkpoint;
    }

    /** Waits until the head is done; empty if it has nothing to do. Not collective. */
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

    /** Lets the head go. */
    void leave() throws IOException {
        link.give(Order.end());
    }
}
