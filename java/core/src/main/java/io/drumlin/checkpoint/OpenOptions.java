package io.drumlin.checkpoint;

import io.drumlin.format.ftiff.ContainerPlan.Packing;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a program says of a run before it is opened: see {@link Checkpoints.Builder}. Not thread-safe. */
final class OpenOptions {

    final Map<Integer, ProtectedData> variables = new LinkedHashMap<>();
    Optional<Packing> packing = Optional.empty();
    boolean freshStartIfUnrecoverable;
    boolean asynchronous;
    boolean anyNumberOfRanks;

    @Nullable
    Consumer<IOException> lateFailures;

    BiConsumer<Checkpoints, CheckpointReport> finishedByHead = (run, report) -> {};
    Optional<HeadCallback> headCallback = Optional.empty();
}
