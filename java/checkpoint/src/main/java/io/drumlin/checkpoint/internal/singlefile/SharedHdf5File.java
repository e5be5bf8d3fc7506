package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.checkpoint.internal.config.SingleFileConfig;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.file.ProtectedVariables;
import io.drumlin.checkpoint.internal.file.VariableByVariable;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.singlefile.Subsets.Subset;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.hdf5.internal.Hyperslab;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Writes and reads the HDF5 files shared by all ranks. */
public final class SharedHdf5File implements SingleFile {

    /** Argument of {@code FTI_Checkpoint} for the level of these files. */
    private static final int FTI_L4_H5_SINGLE = 9;

    private final FtiConfig config;
    private final String execId;
    private final Communicator app;
    private final StorageEngine storage;
    private final RejectedFiles rejected;
    private final SlabPool slabs;
    private final ProtectedVariables variables;
    private final CallsOfRun run;
    private final RunEvents events;
    private final Subsets subsets;
    private Optional<SharedHdf5Reader> source = Optional.empty();

    /** The last file that this run has written. */
    private @Nullable Path last;

    /** Calls to the run that every checkpoint makes. */
    public interface CallsOfRun {

        /**
         * Waits for all ranks and for a checkpoint under way, and checks that all ranks request the same checkpoint.
         * Collective.
         */
        void agreeOnCheckpoint(int ckptId, int request) throws IOException;

        void requireNoneOpen();
        /** Registers a checkpoint; no other one can begin until it is closed. */
        void begun(VariableByVariable checkpoint);
    }

    public SharedHdf5File(
            FtiConfig config, String execId, RankContext context, ProtectedVariables variables, CallsOfRun run) {
        this.config = config;
        this.execId = execId;
        app = context.app();
        storage = context.storage();
        rejected = context.rejected();
        slabs = context.slabs();
        events = context.events();
        this.variables = variables;
        this.run = run;
        subsets = new Subsets(app);
    }

    @Override
    public GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type) {
        return globalDataset(name, dimensions, type, variables.datasets());
    }

    @Override
    public GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type, DatasetGroup group) {
        RunGroup parent = RunGroup.of(group);
        if (parent.root() != variables.datasets()) {
            throw new IllegalArgumentException("group " + parent.path() + " is of another run");
        }
        RunDataset made = new RunDataset(name, parent, type, dimensions);
        subsets.add(made);
        return made;
    }

    @Override
    public void subset(int id, GlobalDataset dataset, List<Long> offset, List<Long> count) {
        variables.require(id);
        Hyperslab slab = new Hyperslab(offset, count);
        if (offset.size() != dataset.dimensions().size()) {
            throw new IllegalArgumentException("offset " + offset + " and count " + count + " are not of the rank of "
                    + dataset.path() + ", whose dimensions are " + dataset.dimensions());
        }
        subsets.put(id, new Subset(RunDataset.of(dataset), slab));
    }

    @Override
    public boolean isSubset(int id, GlobalDataset dataset) {
        Subset subset = subsets.byVariable().get(id);
        return subset != null && subset.dataset() == dataset;
    }

    @Override
    public Optional<Path> restartFile() {
        return source.map(SharedHdf5Reader::path);
    }

    @Override
    public void recoverDimensions(GlobalDataset dataset) throws IOException {
        SharedHdf5Reader from = requireSource();
        List<Long> stored = from.dimensions(RunDataset.of(dataset));
        if (stored.size() != dataset.dimensions().size()) {
            throw DrumlinException.during("reading the dimensions of global dataset " + dataset.path())
                    .path(from.path())
                    .problem("they are " + stored + " there, and here there are "
                            + dataset.dimensions().size())
                    .advice("declare the dataset with as many dimensions")
                    .exception();
        }
        dataset.resize(stored);
    }

    private SharedHdf5Reader requireSource() throws DrumlinException {
        return source.orElseThrow(() -> DrumlinException.during("recovery")
                .problem("this is no restart from a shared HDF5 file")
                .advice("set failure = 3 in section restart of the configuration file")
                .exception());
    }

    /** Finds the file for a restart, which is the newest whole one. Collective. */
    public Optional<SharedHdf5Reader> find() throws IOException {
        long newest = Agreement.call(app, "looking for shared HDF5 files", () -> {
            requireEnabled("restart");
            return app.rank() == 0 ? newestWhole() : -1;
        });
        rejected.requireReadable();
        int ckptId = (int) Agreement.max(app, newest);
        source = ckptId < 0
                ? Optional.empty()
                : Optional.of(new SharedHdf5Reader(storage, config.singleFile().file(ckptId), ckptId));
        return source;
    }

    private int newestWhole() throws IOException {
        List<Integer> ids = new ArrayList<>();
        for (Path entry : PathStatus.entries(config.singleFile().directory())) {
            int id = config.singleFile().ckptId(entry);
            if (id >= 0) {
                ids.add(id);
            }
        }
        ids.sort(Comparator.reverseOrder());
        for (int id : ids) {
            Path path = config.singleFile().file(id);
            if (rejected.succeeds("reading", path, () -> new SharedHdf5Reader(storage, path, id).verify())) {
                return id;
            }
        }
        return -1;
    }

    /** Returns the exception for a restart without a whole file. Collective. */
    public DrumlinException notFound() throws IOException {
        boolean refused = rejected.anyOnARank();
        return DrumlinException.during("restart from a shared HDF5 file")
                .path(config.singleFile().directory())
                .problem("there is no " + (refused ? "whole " : "") + "file "
                        + config.singleFile().prefix() + "-ID########.h5")
                .advice((refused
                                ? "see the warnings above for each file that was refused; "
                                : "h5_single_file_dir and h5_single_file_prefix name where it is looked for; ")
                        + "to start afresh set failure = 0")
                .exception();
    }

    /** Returns the variables that are subsets. */
    public Set<Integer> stored() {
        return subsets.byVariable().keySet();
    }

    /** Fills variables that are subsets. Collective. */
    public void recover(Set<Integer> ids) throws IOException {
        String operation = "recovery from a shared HDF5 file";
        Map<Integer, Subset> wanted = new LinkedHashMap<>();
        // Nothing changes on any rank before all ranks know that every rank succeeded.
        Agreement.run(app, operation, () -> {
            SharedHdf5Reader from = requireSource();
            for (int id : ids) {
                variables.require(id);
                Subset subset = subsets.byVariable().get(id);
                if (subset != null) {
                    subsets.check(operation, id, subset, variables.byId());
                    wanted.put(id, subset);
                }
            }
            Set<RunDataset> datasets = new LinkedHashSet<>();
            wanted.values().forEach(subset -> datasets.add(subset.dataset()));
            from.check(datasets);
        });
        Agreement.run(app, operation, () -> {
            for (Map.Entry<Integer, Subset> entry : wanted.entrySet()) {
                requireSource().recover(entry.getValue(), variables.require(entry.getKey()));
            }
        });
    }

    /** Fills all variables that are subsets, if the subsets make up the datasets. Collective. */
    public void recover() throws IOException {
        subsets.check("recovery from a shared HDF5 file", variables.byId());
        recover(variables.byId().keySet());
    }

    private void requireEnabled(String operation) throws DrumlinException {
        if (config.mode() != Mode.HDF5 || !config.singleFile().enable()) {
            throw DrumlinException.during(operation)
                    .problem("there are no shared HDF5 files: ckpt_io is "
                            + config.mode().number()
                            + " and h5_single_file_enable is "
                            + (config.singleFile().enable() ? 1 : 0))
                    .advice("set ckpt_io = 5 and h5_single_file_enable = 1 in section basic of the configuration file")
                    .exception();
        }
    }

    @Override
    public CheckpointReport checkpoint(int ckptId) throws IOException {
        run.requireNoneOpen();
        CheckpointTrace trace = new CheckpointTrace(events, ckptId, Level.L4);
        run.agreeOnCheckpoint(ckptId, FTI_L4_H5_SINGLE);
        trace.met();
        return trace.guard(() -> write(ckptId, trace));
    }

    private CheckpointReport write(int ckptId, CheckpointTrace trace) throws IOException {
        String operation = operation(ckptId);
        requireEnabled(operation);
        subsets.check(operation, variables.byId());
        try (SharedHdf5Writer writer = open(operation)) {
            Agreement.Step write = () -> {
                for (int id : subsets.inFileOrder()) {
                    writer.write(subsets.require(id), variables.require(id));
                }
            };
            trace.begin(Step.WRITE);
            Agreement.run(app, operation, write, trace::slowest);
            return commit(ckptId, writer, trace);
        }
    }

    private static String operation(int ckptId) {
        return "checkpoint " + ckptId + " in a shared HDF5 file";
    }

    private SharedHdf5Writer open(String operation) throws IOException {
        SingleFileConfig single = config.singleFile();
        SharedHdf5Writer writer =
                new SharedHdf5Writer(operation, single, execId, app, storage, slabs, subsets.datasets());
        try {
            writer.open(() -> {
                DirectoryTree.make(single.directory(), storage);
                // If heads merge the files of ranks, C FTI leaves out the names of types.
                Map<Integer, ProtectedData> naming = single.inline() ? variables.byId() : Map.of();
                return new SharedHdf5Layout(variables.datasets(), subsets.datasets(), naming);
            });
        } catch (IOException e) {
            Closeables.closeAfter(e, List.of(writer));
            throw e;
        }
        return writer;
    }

    private CheckpointReport commit(int ckptId, SharedHdf5Writer writer, CheckpointTrace trace) throws IOException {
        Path path = config.singleFile().file(ckptId);
        trace.end(subsets.bytes());
        trace.begin(Step.COMMIT);
        writer.commit(path);
        trace.end(subsets.bytes());
        trace.durable();
        Path replaced = last;
        last = path;
        if (replaced != null && !replaced.equals(path) && !config.singleFile().keep()) {
            Agreement.run(app, "deleting " + replaced, () -> {
                if (app.rank() == 0) {
                    storage.delete(replaced);
                    storage.syncDirectory(config.singleFile().directory());
                }
            });
        }
        return trace.done();
    }

    @Override
    public IncrementalCheckpoint incremental(int ckptId) throws IOException {
        run.requireNoneOpen();
        run.agreeOnCheckpoint(ckptId, FTI_L4_H5_SINGLE);
        String operation = operation(ckptId);
        requireEnabled(operation);
        subsets.requireAlike(operation);
        VariableByVariable begun =
                new VariableByVariable(ckptId, app, new Additions(ckptId, operation, open(operation)));
        run.begun(begun);
        return begun;
    }

    /** The variables of an incremental checkpoint. */
    private final class Additions implements VariableByVariable.Target {

        private final int ckptId;
        private final String operation;
        private final SharedHdf5Writer writer;
        private final Map<Integer, Optional<Subset>> added = new HashMap<>();

        Additions(int ckptId, String operation, SharedHdf5Writer writer) {
            this.ckptId = ckptId;
            this.operation = operation;
            this.writer = writer;
        }

        @Override
        public void requireNew(int id) {
            variables.require(id);
            if (added.containsKey(id)) {
                throw new IllegalArgumentException("variable " + id + " is already in the incremental checkpoint");
            }
        }

        @Override
        public void add(int id) throws IOException {
            Optional<Subset> subset = Optional.ofNullable(subsets.byVariable().get(id));
            if (subset.isPresent()) {
                subsets.check(operation, id, subset.get(), variables.byId());
                writer.write(subset.get(), variables.require(id));
                writer.awaitWrites();
            }
            added.put(id, subset);
        }

        @Override
        public CheckpointReport commit(@Nullable IOException failure) throws IOException {
            CheckpointTrace trace = new CheckpointTrace(events, ckptId, Level.L4);
            run.agreeOnCheckpoint(ckptId, FTI_L4_H5_SINGLE);
            trace.met();
            return trace.guard(() -> {
                Agreement.agree(app, operation, failure);
                Agreement.run(app, operation, this::requireAll);
                subsets.check(operation, variables.byId());
                return SharedHdf5File.this.commit(ckptId, writer, trace);
            });
        }

        private void requireAll() throws IOException {
            boolean changed = !writer.isFor(subsets.datasets());
            Set<Integer> missing = new TreeSet<>(subsets.byVariable().keySet());
            missing.removeAll(added.keySet());
            for (Map.Entry<Integer, Optional<Subset>> each : added.entrySet()) {
                Subset now = subsets.byVariable().get(each.getKey());
                changed |= !each.getValue().equals(Optional.ofNullable(now));
            }
            if (changed || !missing.isEmpty()) {
                throw DrumlinException.during(operation)
                        .rank(app.rank())
                        .problem(
                                changed
                                        ? "a global dataset or a subset has changed since the first variable was added"
                                        : "variables " + missing + " are subsets and were not added")
                        .advice("declare global datasets and subsets before, and add all subsets before the commit")
                        .exception();
            }
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
