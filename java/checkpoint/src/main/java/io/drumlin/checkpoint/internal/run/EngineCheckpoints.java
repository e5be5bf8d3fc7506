package io.drumlin.checkpoint.internal.run;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.Staging;
import io.drumlin.checkpoint.Stash;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.data.FaultInjection;
import io.drumlin.checkpoint.internal.data.MarkedFields;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.engine.CheckpointOutcome;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.events.StepTimer;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalFile;
import io.drumlin.checkpoint.internal.file.ProtectedVariables;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.file.VariableByVariable;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.mode.DirectFile;
import io.drumlin.checkpoint.internal.provenance.StartRecord;
import io.drumlin.checkpoint.internal.restart.RunRestart;
import io.drumlin.checkpoint.internal.singlefile.SharedHdf5File;
import io.drumlin.checkpoint.internal.staging.FileStaging;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements the checkpoints of a run with the engine. */
public final class EngineCheckpoints implements FtiCheckpoints {

    private final Run run;
    private final FtiConfig config;
    private final Engine engine;
    private final ProtectedVariables variables;
    private final RecoverySource last;
    private final PendingCheckpoint underway;
    private final Snapshots snapshots;
    private final boolean asynchronous;
    private final Optional<FileStaging> staging;
    private final FaultInjection faultInjection;
    private final SharedHdf5File singleFile;
    private final RunDescription description;
    private final RunEnding ending;
    private final Groups groups;
    private Stash stash;
    private Status status = Status.FRESH;
    private Optional<DrumlinException> recoveryFailure = Optional.empty();
    private @Nullable VariableByVariable incremental;
    private Optional<DifferentialShare> share = Optional.empty();
    private boolean started;
    private boolean closed;

    EngineCheckpoints(Run run, OpenOptions given, Groups.Opening opening) throws IOException {
        this.run = run;
        config = run.config();
        asynchronous = given.asynchronous || config.isAsynchronous();
        engine = Engine.of(run, given.packing.orElse(config.packing()));
        variables = new ProtectedVariables(config.maxVarId());
        singleFile = new SharedHdf5File(config, run.execId(), engine.context(), variables, callsOfSingleFile());
        last = new RecoverySource(engine, variables, singleFile);
        underway = new PendingCheckpoint(engine, last, given.lateFailures);
        snapshots = new Snapshots(run);
        staging = config.staging()
                ? Optional.of(new FileStaging(
                        run.directories().stage(), run.storage(), config.heads() > 0, config.slabBytes()))
                : Optional.empty();
        faultInjection = new FaultInjection(config.injection(), run.app().rank(), System::nanoTime);
        stash = new EngineStash(engine, variables, underway, last);
        description = run.description(engine.group());
        groups = new Groups(engine, underway, opening, given.member);
        ending = new RunEnding(run, engine, underway, snapshots, groups, staging);
    }

    /** Starts or restarts the run. Collective. */
    void start(OpenOptions given) throws IOException {
        if (run.headLink().isEmpty()) {
            begin(given);
            return;
        }
        run.headLink().get().agreeWithHead("opening run " + run.execId(), () -> {
            if (!isHead()) {
                begin(given);
            }
        });
    }

    Head head(OpenOptions given) {
        IdleHead idle = new IdleHead(run.headLink().orElseThrow(), this, given.headCallback);
        Head head = new Head(engine, idle, report -> given.finishedByHead.accept(this, report));
        stash = new HeadStash(head, stash);
        return head;
    }

    private void begin(OpenOptions given) throws IOException {
        if (asynchronous && !engine.app().threadMultiple()) {
            throw DrumlinException.during("opening run " + run.execId())
                    .problem("asynchronous checkpoints need MPI_THREAD_MULTIPLE, and MPI was initialised without it")
                    .advice("let Drumlin initialise MPI, or ask for it in the program; or set [drumlin] async = 0,"
                            + " heads (head = 1) need no second thread")
                    .exception();
        }
        Agreement.run(engine.app(), "protecting variables", () -> given.variables
                .keySet()
                .forEach(variables::requireInRange));
        boolean mayLeaveThem = given.freshStartIfUnrecoverable || given.anyNumberOfRanks;
        engine.reader().recoverInto(mayLeaveThem ? Map.of() : given.variables);
        RunRestart start = new RunRestart(engine, singleFile, last);
        start.begin(given.anyNumberOfRanks, given.freshStartIfUnrecoverable);
        engine.reader().recoverInto(Map.of());
        // Not earlier, because the variables get the names under which they are stored.
        given.variables.forEach(variables::protect);
        status = start.status();
        recoveryFailure = start.recoveryFailure();
        snapshots.begin(start.nextCkptId());
        if (isRestart()) {
            last.awaitRecovery();
        }
        engine.events()
                .started(
                        description,
                        engine.app().size(),
                        status.name(),
                        run.storage().name());
        if (engine.app().rank() == 0) {
            StartRecord.add(
                    run.configFile(),
                    config,
                    run.directories(),
                    engine.app().size(),
                    formerRanks().isEmpty());
        }
        started = true;
    }

    @Override
    public void protect(int id, Object variable) {
        variables.protect(id, ProtectedData.of(variable));
    }

    @Override
    public void protect(int id, Object variable, long count) {
        variables.protect(id, ProtectedData.of(variable, count));
    }

    @Override
    public void protect(int id, Object variable, long count, DataType type) {
        variables.protect(id, variable, count, type);
    }

    @Override
    public void protect(int id, MethodHandles.Lookup lookup, Object owner, String field) {
        variables.protect(id, ProtectedData.ofField(lookup, owner, field));
    }

    @Override
    public Map<String, Integer> protectFields(String name, MethodHandles.Lookup lookup, Object owner) {
        return variables.protectFields(name, owner, MarkedFields.of(lookup, owner));
    }

    @Override
    public <T> void protect(int id, Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec) {
        variables.protect(id, ProtectedData.ofObject(supplier, consumer, codec));
    }

    @Override
    public void protectRagged(int id, Object[] arrays) {
        variables.protect(id, ProtectedData.ofRagged(arrays));
    }

    @Override
    public <T> T[] reallocateRagged(int id, T[] array) throws IOException {
        underway.awaitHere();
        return last.reallocateRagged(id, array);
    }

    @Override
    public void unprotect(int id) {
        requireNoneOpen();
        variables.unprotect(id);
    }

    @Override
    public void distribute(int id, Distribution distribution) {
        variables.distribute(id, distribution);
    }

    @Override
    public long protectedBytes() {
        return variables.bytes();
    }

    @Override
    public <T> T reallocate(int id, T array) {
        return variables.reallocate(id, array);
    }

    @Override
    public int idFor(String name) {
        return variables.idFor(name);
    }

    @Override
    public Optional<Integer> idOf(String name) {
        return variables.idOf(name);
    }

    @Override
    public void setAttribute(int id, String name) {
        variables.setAttribute(id, name);
    }

    @Override
    public void setAttribute(int id, List<Long> dimensions) {
        variables.setAttribute(id, dimensions);
    }

    @Override
    public boolean flipBit(int id) {
        return faultInjection.flip(id, variables.require(id));
    }

    @Override
    public void defineDataset(int id, @Nullable String name, List<Long> dimensions, @Nullable DatasetGroup group) {
        variables.define(id, name, dimensions, group);
    }

    @Override
    public DatasetGroup datasets() {
        return variables.datasets();
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public boolean isRestart() {
        return status != Status.FRESH;
    }

    @Override
    public Optional<DrumlinException> recoveryFailure() {
        return recoveryFailure;
    }

    @Override
    public Optional<Integer> lastCheckpoint() {
        return last.ckptId();
    }

    @Override
    public Optional<Integer> formerRanks() {
        return last.formerRanks();
    }

    @Override
    public Optional<Level> lastLevel() {
        return last.level();
    }

    @Override
    public Checkpoints group(String name) throws IOException {
        requireApplication();
        return groups.open(name, recoveryFailure);
    }

    @Override
    public boolean isHead() {
        return run.topology().isHead();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this run is closed: open it again to go on with it");
        }
    }

    private void requireApplication() {
        requireOpen();
        if (isHead()) {
            throw new IllegalStateException(
                    "rank " + run.topology().rank() + " is a head of the run and has no data in it: a program ends, or"
                            + " goes on with something else, where isHead()");
        }
    }

    @Override
    public Communicator communicator() {
        return run.app();
    }

    @Override
    public Optional<Staging> staging() {
        return staging.map(Staging.class::cast);
    }

    @Override
    public Stash stash() {
        return stash;
    }

    @Override
    public SingleFile singleFile() {
        return singleFile;
    }

    private SharedHdf5File.CallsOfRun callsOfSingleFile() {
        return new SharedHdf5File.CallsOfRun() {
            @Override
            public void agreeOnCheckpoint(int ckptId, int request) throws IOException {
                requireApplication();
                EngineCheckpoints.this.agreeOnCheckpoint(ckptId, request);
            }

            @Override
            public void requireNoneOpen() {
                EngineCheckpoints.this.requireNoneOpen();
            }

            @Override
            public void begun(VariableByVariable checkpoint) {
                incremental = checkpoint;
            }
        };
    }

    @Override
    public int node() {
        return run.topology().node();
    }

    @Override
    public boolean isNodeMaster() {
        return run.topology().isNodeMaster();
    }

    @Override
    public int verbosity() {
        return config.verbosity();
    }

    @Override
    public RunDescription describe() {
        return description;
    }

    @Override
    public String execId() {
        return run.execId();
    }

    @Override
    public long storedSize(int id) {
        return last.storedSize(id);
    }

    @Override
    public void recover() throws IOException {
        requireOpen();
        underway.awaitHere();
        StepTimer timer = engine.events().begin(Step.RECOVER);
        last.recover();
        last.level().ifPresent(level -> engine.events()
                .recovered(timer, "read", last.ckptId().orElse(-1), level, variables.bytes()));
        status = Status.FRESH;
    }

    @Override
    public void recover(int id) throws IOException {
        requireOpen();
        underway.awaitHere();
        last.recover(id);
    }

    @Override
    public void discardRestart() {
        last.awaitNothing();
        status = Status.FRESH;
    }

    @Override
    public CheckpointReport checkpoint(int ckptId, Level level) throws IOException {
        requireApplication();
        requireNoneOpen();
        Level taken = engine.coordinator().available(level);
        CheckpointTrace trace = new CheckpointTrace(engine.events(), ckptId, taken);
        long timestamp = agreeOnCheckpoint(ckptId, taken.request());
        trace.met();
        if (taken == Level.L4_DCP) {
            engine.coordinator().prepareDifferential(variables.byId());
            try (IncrementalFile file = engine.unfinished(taken, variables.byId())) {
                return take(ckptId, taken, timestamp, file.adding(engine.mode().order(variables.byId())), trace);
            }
        }
        if (asynchronous && config.isInline(taken)) {
            return underway.takeInBackground(ckptId, taken, timestamp, variables.byId(), trace);
        }
        RankFileWriter own = new DirectFile(variables.byId(), engine.mode(), engine.storage(), engine.slabs());
        return take(ckptId, taken, timestamp, own, trace);
    }

    @Override
    public Optional<DifferentialShare> differentialShare() {
        return share;
    }

    @Override
    public IncrementalCheckpoint incremental(int ckptId, Level level) throws IOException {
        requireApplication();
        engine.coordinator().requireId(ckptId);
        requireNoneOpen();
        underway.awaitHere();
        Level taken = engine.coordinator().available(level);
        VariableByVariable begun = new VariableByVariable(
                ckptId, engine.app(), additions(ckptId, taken, engine.unfinished(taken, variables.byId())));
        incremental = begun;
        return begun;
    }

    private VariableByVariable.Target additions(int ckptId, Level level, IncrementalFile file) {
        return new VariableByVariable.Target() {
            @Override
            public void requireNew(int id) {
                variables.require(id);
                file.requireNew(id);
            }

            @Override
            public void add(int id) throws IOException {
                file.add(List.of(id));
            }

            @Override
            public CheckpointReport commit(@Nullable IOException failure) throws IOException {
                CheckpointTrace trace = new CheckpointTrace(engine.events(), ckptId, level);
                long timestamp = agreeOnCheckpoint(ckptId, level.request());
                trace.met();
                try {
                    Agreement.agree(engine.app(), "incremental checkpoint " + ckptId, failure);
                } catch (IOException e) {
                    trace.failed(e);
                    throw e;
                }
                return take(ckptId, level, timestamp, file, trace);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private void requireNoneOpen() {
        VariableByVariable open = incremental;
        if (open != null && !open.isClosed()) {
            throw new IllegalStateException(
                    "incremental checkpoint " + open.ckptId() + " is neither committed nor closed");
        }
    }

    /** Waits for the previous checkpoint, then for all ranks. Collective. */
    private long agreeOnCheckpoint(int ckptId, int request) throws IOException {
        await();
        groups.beforeCheckpoint();
        share = Optional.empty();
        boolean hasData = !variables.byId().isEmpty();
        long timestamp =
                engine.coordinator().agreeOnCheckpoint(ckptId, request, last.isWaiting(), last.takeLeftOut(), hasData);
        engine.coordinator().requireId(ckptId);
        engine.reader().forget();
        underway.tidy();
        return timestamp;
    }

    private CheckpointReport take(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        if (!config.isInline(level)) {
            FilePlan filePlan = engine.coordinator().writeForHead(ckptId, level, timestamp, own, trace);
            CheckpointReport soFar = trace.stalled("head", filePlan.size());
            underway.handOver(ckptId, level, timestamp, filePlan, trace);
            return soFar;
        }
        CheckpointOutcome taken = engine.coordinator().takeCheckpoint(ckptId, level, timestamp, own, trace);
        last.set(taken);
        share = taken.share();
        if (taken.late().isPresent()) {
            throw taken.late().get();
        }
        return taken.report();
    }

    @Override
    public Optional<CheckpointReport> lastReport() {
        return last.report();
    }

    @Override
    public boolean isUnderway() {
        return underway.isUnderway();
    }

    @Override
    public void await() throws IOException {
        requireApplication();
        underway.await();
    }

    @Override
    public Optional<CheckpointReport> snapshot() throws IOException {
        requireApplication();
        if (isRestart()) {
            snapshots.recovers();
            Agreement.run(engine.app(), "recovery", this::recover);
            return Optional.empty();
        }
        last.report().ifPresent(snapshots::took);
        return snapshots.take(this);
    }

    @Override
    public boolean shouldStop() throws IOException {
        requireApplication();
        last.report().ifPresent(snapshots::took);
        return snapshots.shouldStop();
    }

    @Override
    public Optional<SnapshotPlan> newSnapshotPlan() {
        return snapshots.newPlan();
    }

    @Override
    public void complete() throws IOException {
        await();
        groups.await();
        snapshots.completed();
        ending.complete(last);
        engine.events().ended("complete");
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        staging.ifPresent(FileStaging::close);
        ending.close(incremental, started);
    }

    @Override
    public void abandon() {
        if (!closed) {
            closed = true;
            staging.ifPresent(FileStaging::close);
            ending.abandon(incremental);
        }
    }

    /** Waits until this rank has finished its background deletions. */
    public void awaitDeletion() {
        engine.levels().awaitDeletion();
    }

    void closeAfter(Throwable failure) {
        engine.events().failed("open", failure);
        Closeables.closeAfter(failure, List.of(this::close));
    }
}
