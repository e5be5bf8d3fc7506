package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.Packing;
import io.drumlin.checkpoint.internal.catalogue.DeadRuns;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens runs of the engine. Not thread-safe. */
public final class EngineBuilder implements Checkpoints.Builder {

    private final Path configFile;
    private @Nullable Communicator communicator;
    private @Nullable StorageEngine storage;
    private final OpenOptions options;
    private boolean orderOfNodes;
    private Optional<IntFunction<Host>> hosts = Optional.empty();

    public EngineBuilder(Path configFile) {
        this(configFile, new OpenOptions());
    }

    private EngineBuilder(Path configFile, OpenOptions options) {
        this.configFile = configFile;
        this.options = options;
    }

    @Override
    public EngineBuilder communicator(Communicator ranks) {
        communicator = ranks;
        return this;
    }

    @Override
    public EngineBuilder storage(StorageEngine engine) {
        storage = engine;
        return this;
    }

    @Override
    public EngineBuilder packing(Packing placement) {
        options.packing = Optional.of(ContainerPlan.Packing.valueOf(placement.name()));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, Object variable) {
        options.variables.put(id, ProtectedData.of(variable));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, Object variable, long count) {
        options.variables.put(id, ProtectedData.of(variable, count));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, MethodHandles.Lookup lookup, Object owner, String field) {
        options.variables.put(id, ProtectedData.ofField(lookup, owner, field));
        return this;
    }

    @Override
    public <T> EngineBuilder protect(
            int id, Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec) {
        options.variables.put(id, ProtectedData.ofObject(supplier, consumer, codec));
        return this;
    }

    @Override
    public EngineBuilder freshStartIfUnrecoverable() {
        options.freshStartIfUnrecoverable = true;
        return this;
    }

    @Override
    public EngineBuilder anyNumberOfRanks() {
        options.anyNumberOfRanks = true;
        return this;
    }

    @Override
    public EngineBuilder orderOfNodes() {
        orderOfNodes = true;
        return this;
    }

    @Override
    public EngineBuilder asynchronous() {
        options.asynchronous = true;
        return this;
    }

    @Override
    public EngineBuilder lateFailures(Consumer<IOException> handler) {
        options.lateFailures = handler;
        return this;
    }

    @Override
    public EngineBuilder finishedByHead(BiConsumer<Checkpoints, CheckpointReport> listener) {
        options.finishedByHead = listener;
        return this;
    }

    @Override
    public EngineBuilder headCallback(HeadCallback callback) {
        options.headCallback = Optional.of(callback);
        return this;
    }

    @Override
    public EngineBuilder from(int ckptId) {
        options.choice = Optional.of(CheckpointChoice.of(ckptId));
        return this;
    }

    @Override
    public EngineBuilder fromLatestBefore(Instant time) {
        options.choice = Optional.of(CheckpointChoice.latestBefore(time));
        return this;
    }

    @Override
    public EngineBuilder branch(String name) {
        options.branch = Optional.of(CheckpointChoice.requireName(name));
        return this;
    }

    /** Sets invented hosts of the ranks, for tests on one machine that lose, replace and reorder nodes. */
    public EngineBuilder hosts(IntFunction<Host> ofRank) {
        hosts = Optional.of(ofRank);
        return this;
    }

    @Override
    public EngineCheckpoints open() throws IOException {
        Run run = prepare();
        EngineCheckpoints checkpoints = new EngineCheckpoints(run, options, member -> group(run, member));
        try {
            checkpoints.start(options);
            if (checkpoints.isHead()) {
                checkpoints.head(options).serve();
            }
        } catch (Throwable e) {
            checkpoints.closeAfter(e);
            throw e;
        }
        return checkpoints;
    }

    /** Opens a group of a run as a run. */
    private EngineCheckpoints group(Run run, Groups.Member member) throws IOException {
        EngineBuilder builder = new EngineBuilder(member.file(), options.of(member));
        builder.communicator = run.app();
        builder.storage = run.storage();
        builder.orderOfNodes = run.nodeOrder();
        Optional<Host> host = hosts.map(ofRank -> ofRank.apply(run.topology().rank()));
        builder.hosts = host.map(own -> rank -> own);
        return builder.open();
    }

    private Run prepare() throws IOException {
        if (communicator != null) {
            return prepare(communicator);
        }
        try (Communicator world = Communicators.world()) {
            return prepare(world);
        }
    }

    private Run prepare(Communicator ranks) throws IOException {
        Optional<Host> host = hosts.map(ofRank -> ofRank.apply(ranks.rank()));
        Run run = Run.prepare(
                configFile,
                ranks,
                Optional.ofNullable(storage),
                options.anyNumberOfRanks,
                orderOfNodes,
                options.choice.map(choice -> choice.named(options.branch)),
                host,
                options.member.map(Groups.Member::freshId));
        if (run.previous().isPresent()) {
            run.lease().ifPresent(Lease::hasCheckpoints);
        } else if (options.member.isEmpty()) {
            new DeadRuns(ranks, run.config(), run.topology(), run.directories(), run.storage()).delete();
        }
        return run;
    }
}
