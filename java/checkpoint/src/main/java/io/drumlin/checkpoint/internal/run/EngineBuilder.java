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
import io.drumlin.checkpoint.internal.engine.RunOpening;
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

/** Opens runs of the engine. Not thread-safe. */
public final class EngineBuilder extends OpenOptions implements Checkpoints.Builder {

    private final Path configFile;
    private Optional<Communicator> communicator = Optional.empty();
    private Optional<StorageEngine> storage = Optional.empty();
    private boolean orderOfNodes;
    private Optional<IntFunction<Host>> hosts = Optional.empty();

    /** The checkpoint with which a branch begins, without the name of the branch. */
    private Optional<CheckpointChoice> choice = Optional.empty();

    private Optional<String> branch = Optional.empty();

    public EngineBuilder(Path configFile) {
        this.configFile = configFile;
    }

    @Override
    public EngineBuilder communicator(Communicator ranks) {
        communicator = Optional.of(ranks);
        return this;
    }

    @Override
    public EngineBuilder storage(StorageEngine engine) {
        storage = Optional.of(engine);
        return this;
    }

    @Override
    public EngineBuilder packing(Packing placement) {
        packing = Optional.of(ContainerPlan.Packing.valueOf(placement.name()));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, Object variable) {
        variables.put(id, ProtectedData.of(variable));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, Object variable, long count) {
        variables.put(id, ProtectedData.of(variable, count));
        return this;
    }

    @Override
    public EngineBuilder protect(int id, MethodHandles.Lookup lookup, Object owner, String field) {
        variables.put(id, ProtectedData.ofField(lookup, owner, field));
        return this;
    }

    @Override
    public <T> EngineBuilder protect(
            int id, Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec) {
        variables.put(id, ProtectedData.ofObject(supplier, consumer, codec));
        return this;
    }

    @Override
    public EngineBuilder freshStartIfUnrecoverable() {
        freshStartIfUnrecoverable = true;
        return this;
    }

    @Override
    public EngineBuilder anyNumberOfRanks() {
        anyNumberOfRanks = true;
        return this;
    }

    @Override
    public EngineBuilder orderOfNodes() {
        orderOfNodes = true;
        return this;
    }

    @Override
    public EngineBuilder asynchronous() {
        asynchronous = true;
        return this;
    }

    @Override
    public EngineBuilder lateFailures(Consumer<IOException> handler) {
        lateFailures = Optional.of(handler);
        return this;
    }

    @Override
    public EngineBuilder finishedByHead(BiConsumer<Checkpoints, CheckpointReport> listener) {
        finishedByHead = listener;
        return this;
    }

    @Override
    public EngineBuilder headCallback(HeadCallback callback) {
        headCallback = Optional.of(callback);
        return this;
    }

    @Override
    public EngineBuilder from(int ckptId) {
        choice = Optional.of(CheckpointChoice.of(ckptId));
        return this;
    }

    @Override
    public EngineBuilder fromLatestBefore(Instant time) {
        choice = Optional.of(CheckpointChoice.latestBefore(time));
        return this;
    }

    @Override
    public EngineBuilder branch(String name) {
        branch = Optional.of(CheckpointChoice.requireName(name));
        return this;
    }

    /** Sets invented hosts of the ranks, for tests on one machine that lose, replace and reorder nodes. */
    public EngineBuilder hosts(IntFunction<Host> ofRank) {
        hosts = Optional.of(ofRank);
        return this;
    }

    @Override
    public EngineCheckpoints open() throws IOException {
        Run run = run();
        EngineCheckpoints checkpoints = new EngineCheckpoints(run, this, member -> group(run, member));
        try {
            checkpoints.start(this);
            if (checkpoints.isHead()) {
                checkpoints.head(this).serve();
            }
        } catch (Throwable e) {
            checkpoints.closeAfter(e);
            throw e;
        }
        return checkpoints;
    }

    /** Opens a group of a run as a run, with the options of its run but for the data. */
    private EngineCheckpoints group(Run run, Groups.Member ofRun) throws IOException {
        EngineBuilder group = new EngineBuilder(ofRun.file());
        group.packing = packing;
        group.freshStartIfUnrecoverable = freshStartIfUnrecoverable;
        group.asynchronous = asynchronous;
        group.anyNumberOfRanks = anyNumberOfRanks;
        group.lateFailures = lateFailures;
        group.member = Optional.of(ofRun);
        group.communicator = Optional.of(run.app());
        group.storage = Optional.of(run.storage());
        group.orderOfNodes = run.nodeOrder();
        Optional<Host> host = hosts.map(ofRank -> ofRank.apply(run.topology().rank()));
        group.hosts = host.map(own -> rank -> own);
        return group.open();
    }

    private Run run() throws IOException {
        if (communicator.isPresent()) {
            return run(communicator.get());
        }
        try (Communicator world = Communicators.world()) {
            return run(world);
        }
    }

    private Run run(Communicator ranks) throws IOException {
        Run run = new RunOpening(
                        configFile,
                        ranks,
                        storage,
                        anyNumberOfRanks,
                        orderOfNodes,
                        choice.map(chosen -> chosen.named(branch)),
                        hosts.map(ofRank -> ofRank.apply(ranks.rank())),
                        member.map(Groups.Member::freshId))
                .open();
        if (run.previous().isPresent()) {
            run.lease().ifPresent(Lease::hasCheckpoints);
        } else if (member.isEmpty()) {
            new DeadRuns(ranks, run.config(), run.topology(), run.directories(), run.storage()).delete();
        }
        return run;
    }
}
