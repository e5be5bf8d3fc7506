package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.format.ftiff.ContainerPlan;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The options of a run that matter once its directories are taken; see {@link Checkpoints.Builder}. Not thread-safe. */
class OpenOptions {

    final Map<Integer, ProtectedData> variables = new LinkedHashMap<>();
    Optional<ContainerPlan.Packing> packing = Optional.empty();
    boolean freshStartIfUnrecoverable;
    boolean asynchronous;
    boolean anyNumberOfRanks;
    Optional<Consumer<IOException>> lateFailures = Optional.empty();
    BiConsumer<Checkpoints, CheckpointReport> finishedByHead = (run, report) -> {};
    Optional<HeadCallback> headCallback = Optional.empty();

    /** What the run is of another run; empty if it is no group. */
    Optional<Groups.Member> member = Optional.empty();
}
