package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.elastic.Redistribution;
import io.drumlin.checkpoint.internal.file.ProtectedVariables;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.singlefile.SharedHdf5File;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint from which protected data are recovered: the one that the restart found, later the one taken last. Not
 * thread-safe.
 */
public final class RecoverySource {

    private final Communicator app;
    private final int rank;
    private final CheckpointReader reader;
    private final IoMode mode;
    private final ProtectedVariables variables;
    private final SharedHdf5File singleFile;
    private @Nullable RankCheckpoint source;
    private @Nullable Redistribution redistribution;
    private @Nullable CheckpointReport report;

    /** Whether a restart has found data that the program has not recovered. */
    private boolean isWaiting;

    /** The variables that the program has not recovered after a restart, once it has recovered one by itself. */
    private final SortedSet<Integer> leftOut = new TreeSet<>();

    public RecoverySource(Engine engine, ProtectedVariables variables, SharedHdf5File singleFile) {
        app = engine.app();
        rank = engine.run().topology().rank();
        reader = engine.reader();
        mode = engine.mode();
        this.variables = variables;
        this.singleFile = singleFile;
    }

    /** Sets a checkpoint of this run. */
    public void set(CheckpointOutcome taken) {
        set(taken.source(), taken.report());
    }

    void set(RankCheckpoint taken, CheckpointReport reportOfIt) {
        set(taken);
        report = reportOfIt;
    }

    /** Returns size and times of the last checkpoint of this run that is complete. */
    public Optional<CheckpointReport> report() {
        return Optional.ofNullable(report);
    }

    public void set(RankCheckpoint newest) {
        redistribution = null;
        source = newest;
        variables.storedIn(newest.file());
    }

    /**
     * Sets a checkpoint that another number of ranks has taken. Collective.
     *
     * @throws IOException on all ranks, if one could not read the names of its variables
     */
    public void set(Redistribution elastic) throws IOException {
        // All ranks stored the same ids and names.
        Agreement.run(
                app,
                "reading the names of variables",
                () -> variables.storedByOthers(elastic.elastic().part(0).file()));
        redistribution = elastic;
    }

    /** Records that a restart has found data, which the program must recover before it replaces them. */
    public void awaitRecovery() {
        isWaiting = true;
    }

    /** Returns whether a restart has found data of which nothing was recovered or given up. */
    public boolean isWaiting() {
        return isWaiting;
    }

    /** Records that the program has recovered data or given them up. */
    public void awaitNothing() {
        isWaiting = false;
        leftOut.clear();
    }

    /**
     * Returns the variables that a checkpoint replaces though the restart has found them and the program has recovered
     * only others. Returns them once.
     */
    public SortedSet<Integer> takeLeftOut() {
        SortedSet<Integer> taken = new TreeSet<>(leftOut);
        leftOut.clear();
        return taken;
    }

    /** Records that there is no checkpoint any more. */
    public void clear() {
        redistribution = null;
        source = null;
        variables.storedIn(null);
    }

    /** Returns this rank's data; empty if there are none, or if another number of ranks took the checkpoint. */
    public Optional<RankCheckpoint> source() {
        return Optional.ofNullable(source);
    }

    public Optional<Integer> ckptId() {
        return redistribution != null
                ? Optional.of(redistribution.elastic().ckptId())
                : source().map(found -> found.file().ckptId());
    }

    public Optional<Level> level() {
        return redistribution != null
                ? Optional.of(redistribution.elastic().level())
                : source().map(RankCheckpoint::level);
    }

    /** Returns how many ranks took the checkpoint, if their number differs from that of this run. */
    public Optional<Integer> formerRanks() {
        return Optional.ofNullable(redistribution).map(found -> found.elastic().ranks());
    }

    public long storedSize(int id) {
        return source == null ? 0 : source.file().size(id);
    }

    /**
     * Recovers all variables. Collective if another number of ranks took the checkpoint, or if it is a shared HDF5
     * file.
     */
    public void recover() throws IOException {
        recoverAll();
        awaitNothing();
    }

    private void recoverAll() throws IOException {
        if (redistribution != null) {
            redistribution.recover(variables.byId(), true);
            Agreement.run(app, "recovery", () -> requireUsable(variables.byId()));
            return;
        }
        if (isInSingleFile()) {
            singleFile.recover();
            Agreement.run(app, "recovery", () -> requireUsable(variables.byId()));
            return;
        }
        RankCheckpoint from = requireSource();
        Set<Integer> stored = from.file().sizes().keySet();
        if (stored.size() != variables.byId().size()) {
            throw DrumlinException.during("recovery")
                    .path(from.path())
                    .rank(rank)
                    .problem(variables.byId().size() + " variables are protected and " + stored.size() + " are stored")
                    .advice("protect exactly the variables " + stored + " before recovering")
                    .exception();
        }
        for (int id : variables.byId().keySet()) {
            checkSize(from, id);
        }
        reader.recover(from.path(), from.file(), variables.byId());
        reader.forget();
        requireUsable(variables.byId());
        mode.recovered(from, variables.byId());
    }

    /** Recovers one variable; otherwise like {@link #recover()}. */
    public void recover(int id) throws IOException {
        recoverOne(id);
        if (isWaiting) {
            isWaiting = false;
            leftOut.addAll(isInSingleFile() ? singleFile.stored() : variables.storedIds());
            leftOut.removeAll(reader.early().heldIds());
        }
        leftOut.remove(id);
    }

    private void recoverOne(int id) throws IOException {
        if (redistribution != null) {
            Agreement.run(app, "recovery of variable " + id, () -> variables.require(id));
            redistribution.recover(Map.of(id, variables.require(id)), false);
            Agreement.run(app, "recovery", () -> requireUsable(Map.of(id, variables.require(id))));
            return;
        }
        if (isInSingleFile()) {
            singleFile.recover(Set.of(id));
            Agreement.run(app, "recovery", () -> requireUsable(Map.of(id, variables.require(id))));
            return;
        }
        Map<Integer, ProtectedData> variable = Map.of(id, variables.require(id));
        RankCheckpoint from = requireSource();
        checkSize(from, id);
        reader.recover(from.path(), from.file(), variable);
        requireUsable(variable);
        mode.recovered(from, variable);
    }

    /** Replaces a ragged array by one that has the stored lengths. */
    public <T> T[] reallocateRagged(int id, T[] array) throws IOException {
        if (redistribution != null || isInSingleFile()) {
            throw new IllegalArgumentException("the lengths of variable " + id
                    + " are known only to a run on as many ranks, which recovers files of each rank");
        }
        RankCheckpoint from = requireSource();
        return variables.reallocateRagged(
                id, array, target -> reader.recover(from.path(), from.file(), Map.of(id, target)));
    }

    /** Gives recovered objects to the program; fails if recovered bytes do not belong to what is protected. */
    public static void requireUsable(Map<Integer, ProtectedData> recovered) throws DrumlinException {
        for (Map.Entry<Integer, ProtectedData> each : recovered.entrySet()) {
            Optional<String> problem = each.getValue().problemOfRecovery();
            if (problem.isPresent()) {
                throw DrumlinException.during("recovery of variable " + each.getKey())
                        .problem(problem.get())
                        .advice(
                                each.getValue().isRagged()
                                        ? "reallocateRagged(id, array) makes an array as it was stored"
                                        : "the Codec must describe what was stored; docs/formats/objects.md says what"
                                                + " may differ")
                        .exception();
            }
        }
    }

    private boolean isInSingleFile() {
        return source == null && singleFile.restartFile().isPresent();
    }

    private RankCheckpoint requireSource() throws IOException {
        if (source == null) {
            throw DrumlinException.during("recovery")
                    .rank(rank)
                    .problem("there is no checkpoint to recover from")
                    .advice("ask isRestart() first")
                    .exception();
        }
        return source;
    }

    private void checkSize(RankCheckpoint from, int id) throws DrumlinException {
        ProtectedData variable = variables.require(id);
        long size = variable.size();
        boolean known = from.file().contains(id);
        if (!known || !variable.takes(storedSize(id))) {
            throw DrumlinException.during("recovery of variable " + id)
                    .path(from.path())
                    .rank(rank)
                    .problem(
                            known
                                    ? size + " bytes are protected and " + storedSize(id) + " are stored"
                                    : "it is not stored")
                    .advice("protect an array of the stored size, see storedSize(id)")
                    .exception();
        }
        variable.expect(storedSize(id));
    }
}
