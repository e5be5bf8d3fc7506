package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options that a program sets before it opens a run; see {@link Checkpoints.Builder}. Not thread-safe. */
final class OpenOptions {

    public final Map<Integer, ProtectedData> variables = new LinkedHashMap<>();
    public Optional<Packing> packing = Optional.empty();
    public boolean freshStartIfUnrecoverable;
    public boolean asynchronous;
    public boolean anyNumberOfRanks;

    /** The checkpoint with which a branch begins, without the name of the branch. */
    public Optional<CheckpointChoice> choice = Optional.empty();

    public Optional<String> branch = Optional.empty();

    @Nullable
    public Consumer<IOException> lateFailures;

    public BiConsumer<Checkpoints, CheckpointReport> finishedByHead = (run, report) -> {};
    public Optional<HeadCallback> headCallback = Optional.empty();

    /** What the run is of another run; empty if it is no group. */
    public Optional<Groups.Member> member = Optional.empty();

    /** Returns the options of a group, which are those of its run but for the data. */
    OpenOptions of(Groups.Member group) {
        OpenOptions options = new OpenOptions();
        options.packing = packing;
        options.freshStartIfUnrecoverable = freshStartIfUnrecoverable;
        options.asynchronous = asynchronous;
        options.anyNumberOfRanks = anyNumberOfRanks;
        options.lateFailures = lateFailures;
        options.member = Optional.of(group);
        return options;
    }
}
