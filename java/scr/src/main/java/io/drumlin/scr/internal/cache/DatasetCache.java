package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.redundancy.RedundancySet;
import io.drumlin.scr.internal.settings.CheckpointDescriptor;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The datasets in the caches of all nodes (docs/formats/scr.md, section 10). All calls are collective. */
public final class DatasetCache {

    private static final System.Logger LOG = System.getLogger(DatasetCache.class.getName());
    private static final String DSET = "DSET";
    private static final String CURRENT = "CURRENT";

    /** The prefix directory of a dataset, in the index of the cache; only Drumlin writes it. */
    private static final String PREFIX = "PREFIX";

    private final KvTreeStore store;
    private final Communicator world;
    private final NodeLayout layout;
    private final ScrSettings settings;
    private final ScrPrefix prefix;
    private final FlushFile flushFile;
    private final Path control;
    private final Path directory;

    /** Equal on all ranks. */
    private final SortedMap<Integer, DatasetDescriptor> datasets = new TreeMap<>();

    /** The records that this node's index of the cache has of datasets of other programs, by id. */
    private KvTree others = new KvTree();

    private int lastOfOthers;
    private String current = "";
    private boolean warnedOfNested;

    public DatasetCache(
            KvTreeStore store, Communicator world, NodeLayout layout, ScrSettings settings, ScrPrefix prefix) {
        this.store = store;
        this.world = world;
        this.layout = layout;
        this.settings = settings;
        this.prefix = prefix;
        this.flushFile = new FlushFile(world, store, prefix);
        this.control = settings.control();
        this.directory = settings.cache();
    }

    /** Returns the datasets by id, equal on all ranks. */
    public SortedMap<Integer, DatasetDescriptor> datasets() {
        return Collections.unmodifiableSortedMap(datasets);
    }

    /** Returns the last checkpoint that was completed. */
    public Optional<DatasetDescriptor> newestCheckpoint() {
        return datasets.values().stream()
                .filter(each -> each.isCheckpoint() && each.isComplete())
                .reduce((older, newer) -> newer);
    }

    /** Returns the highest id of a dataset of another program. */
    public int lastOfOthers() {
        return lastOfOthers;
    }

    /** Returns the name that SCR_CURRENT had when it was obeyed; empty if it never was. Equal on all ranks. */
    public String current() {
        return current;
    }

    /** Records that SCR_CURRENT was obeyed. The record holds for all restarts until the caches are lost. */
    public void setCurrent(String name) throws IOException {
        current = name;
        writeIndex();
    }

    public FlushFile flushFile() {
        return flushFile;
    }

    private Path index() {
        return control.resolve("cindex.scrinfo");
    }

    public Path path(int id) {
        return directory.resolve("scr.dataset." + id);
    }

    /** Returns the names of files that the program writes to the directory of a dataset. */
    public FileNameTable names(int id) {
        return new FileNameTable(store, prefix, world, written(id));
    }

    private Path written(int id) {
        return path(id).resolve(".scr/written");
    }

    CachedDataset open(int id) {
        return new CachedDataset(path(id), path(id), world, store.storage());
    }

    /**
     * Finds the datasets that an earlier job left and moves their files to the nodes in which their ranks run now.
     * Rebuilds the files that nodes have lost, and deletes the datasets that cannot be rebuilt. The oldest dataset
     * comes first: if an output was lost before it reached the prefix directory, the program must restart from a
     * checkpoint before it. Output after the last checkpoint will be written again. If there is no checkpoint, output
     * stays: nobody knows whether the program will write it again.
     */
    public void rebuild() throws IOException {
        boolean lostOutput = false;
        SortedMap<Integer, DatasetDescriptor> all = findAll();
        requireNoneAtThePlaceOf(all.keySet());
        for (DatasetDescriptor found : all.values()) {
            requireRanks(found);
        }
        for (DatasetDescriptor found : all.values()) {
            int id = found.id().orElseThrow();
            if (!lostOutput && found.isComplete() && rebuild(id)) {
                datasets.put(id, found);
                continue;
            }
            lostOutput |= found.isOutput() && !isInPrefix(found);
            if (world.rank() == 0) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "dataset " + id + " of the cache cannot be "
                                + (lostOutput ? "used, because output was lost" : "made whole") + "; it is deleted");
            }
            deleteFiles(id);
        }
        int last = newestCheckpoint()
                .flatMap(each -> each.id().stream().boxed().findFirst())
                .orElse(Integer.MAX_VALUE);
        for (int id : List.copyOf(datasets.tailMap(last).keySet())) {
            if (id > last) {
                datasets.remove(id);
                deleteFiles(id);
            }
        }
        writeIndex();
        noteAll();
    }

    /** Refuses datasets of other programs where datasets of this one must be. */
    private void requireNoneAtThePlaceOf(Set<Integer> ids) throws IOException {
        String operation = "looking for datasets of other programs in the cache";
        Agreement.run(world, operation, () -> {
            for (String id : others.keys()) {
                if (ids.contains(KvFields.leadingInteger(id))) {
                    throw DrumlinException.during(operation)
                            .path(path(KvFields.leadingInteger(id)))
                            .problem("it belongs to another prefix directory than " + prefix.path()
                                    + ", whose dataset with this number is in other nodes")
                            .advice("set another SCR_JOB_ID, which leaves both there; SCR_CACHE_PURGE=1 deletes both")
                            .exception();
                }
            }
        });
    }

    /** Refuses a dataset that another number of ranks wrote; nothing is damaged, and nothing is deleted. */
    private void requireRanks(DatasetDescriptor descriptor) throws IOException {
        String operation = "looking for what the caches have of dataset "
                + descriptor.name().orElse("");
        CachedDataset dataset = open(descriptor.id().orElseThrow());
        long[] ranks = {Agreement.call(world, operation, dataset::readRanks)};
        world.allreduce(ranks, Communicator.Op.MAX);
        if (ranks[0] > 0 && ranks[0] != world.size()) {
            throw DrumlinException.during(operation)
                    .path(directory)
                    .problem("it was written by " + ranks[0] + " ranks, but there are " + world.size())
                    .advice("start " + ranks[0] + " ranks, or set another SCR_JOB_ID, which leaves it there;"
                            + " SCR_CACHE_PURGE=1 deletes it, and drumlin scavenge saves it before")
                    .exception();
        }
    }

    private boolean rebuild(int id) throws IOException {
        try {
            return rebuild(open(id), id);
        } catch (MeetingException e) {
            throw e;
        } catch (IOException e) {
            throw DrumlinException.during("looking for what the caches have of dataset " + id)
                    .problem(String.valueOf(e.getMessage()))
                    .cause(e)
                    .advice("it stays in the caches; start the job again, without a node whose disk is broken")
                    .exception();
        }
    }

    private boolean rebuild(CachedDataset dataset, int id) throws IOException {
        IOException failure = dataset.distribute(layout);
        boolean whole = dataset.rebuild();
        if (whole) {
            warnOfApart(id, dataset.renewLists(layout));
        } else {
            // A dataset that could not be moved is still there, and a later job may try again.
            Agreement.agree(world, "moving dataset " + id + " between caches", failure);
        }
        return whole;
    }

    private void warnOfApart(int id, long apart) {
        if (apart > 0 && world.rank() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "ranks with files of the same last name have come to one node: " + apart + " files of dataset " + id
                            + " of the cache are kept apart, and only Drumlin can restart from that");
        }
    }

    private boolean isInPrefix(DatasetDescriptor descriptor) throws IOException {
        IndexFile file = new IndexFile(prefix, store.storage());
        boolean inIndex = RootRank.call(
                world,
                "reading the index",
                false,
                () -> PathStatus.exists(file.path())
                        && file.read()
                                .record(descriptor.name().orElseThrow())
                                .filter(each -> each.isComplete()
                                        && each.id() == descriptor.id().orElseThrow())
                                .isPresent());
        return Agreement.any(world, inIndex);
    }

    /** Deletes all datasets, those of other programs, too. */
    public void purge() throws IOException {
        for (int id : findAll().keySet()) {
            deleteFiles(id);
        }
        Agreement.run(world, "deleting datasets of other programs from the cache", () -> {
            if (layout.isLeader()) {
                for (String id : others.keys()) {
                    deleteTree(path(KvFields.leadingInteger(id)));
                }
            }
        });
        others = new KvTree();
        lastOfOthers = 0;
        datasets.clear();
        writeIndex();
        noteAll();
    }

    /** Makes the flush file list exactly the cached datasets. No dataset is being copied at this point. */
    private void noteAll() throws IOException {
        flushFile.change(states -> {
            states.ids().stream().filter(id -> !datasets.containsKey(id)).forEach(states::remove);
            datasets.forEach((id, descriptor) -> {
                states.cached(descriptor);
                states.flushed(id, false);
            });
        });
    }

    /**
     * Returns the datasets of this program in the nodes, by id. A node that was away may have an older dataset of an id;
     * it is deleted there. Datasets of other programs, which have another prefix directory, stay.
     */
    private SortedMap<Integer, DatasetDescriptor> findAll() throws IOException {
        KvTree own = new KvTree();
        KvTree index = new KvTree();
        Agreement.run(world, "reading the index of the cache", () -> index.merge(store.readIfWhole(index())));
        index.value(CURRENT).ifPresent(name -> own.add(CURRENT).add(name));
        KvTree found = index.add(DSET);
        Agreement.run(world, "reading the index of the cache", () -> {
            for (Map.Entry<String, KvTree> each : found.entries().entrySet()) {
                KvTree descriptor = each.getValue().add("DSETDESC");
                String created = created(DatasetDescriptor.of(descriptor));
                own.addPath(DSET, each.getKey(), created).merge(descriptor);
                prefixOf(each.getKey(), each.getValue())
                        .ifPresent(known -> own.addPath(PREFIX, each.getKey(), created, known));
            }
        });
        SortedMap<Integer, DatasetDescriptor> newest = new TreeMap<>();
        KvTree all = Messages.allgather(world, own);
        setOthersApart(found, own.add(DSET), all);
        current = all.add(CURRENT).first().orElse("");
        all.add(DSET).entries().forEach((id, byTime) -> byTime.entries().values().stream()
                .map(DatasetDescriptor::of)
                .filter(each -> each.name().isPresent()
                        && id.equals(Integer.toString(each.id().orElse(-1))))
                .max(Comparator.comparingLong(each -> each.created().orElse(0)))
                .ifPresent(each -> newest.put(each.id().orElseThrow(), each)));
        Agreement.run(world, "deleting old datasets of the cache", () -> {
            for (Map.Entry<String, KvTree> each : own.add(DSET).entries().entrySet()) {
                int id = KvFields.leadingInteger(each.getKey());
                DatasetDescriptor kept = newest.get(id);
                if (layout.isLeader() && (kept == null || !each.getValue().has(created(kept)))) {
                    deleteTree(path(id));
                }
            }
        });
        return newest;
    }

    /**
     * Returns the prefix directory of a dataset in this node, or a directory in it; empty if nothing tells. A dataset of
     * SCR is in this prefix directory if its files are.
     */
    private Optional<String> prefixOf(String id, KvTree dataset) throws IOException {
        if (dataset.has(PREFIX)) {
            return dataset.value(PREFIX);
        }
        Optional<Path> place = open(KvFields.leadingInteger(id)).findPlace();
        return place.map(each -> each.startsWith(prefix.path()) ? prefix.path() : each)
                .map(Path::toString);
    }

    /**
     * Takes the datasets of other programs out of what was found.
     *
     * @param index the records of this node's index, which go to {@link #others}
     * @param here the descriptors in this node
     * @param all what all nodes have
     */
    private void setOthersApart(KvTree index, KvTree here, KvTree all) throws IOException {
        others = new KvTree();
        Map<String, String> apart = new TreeMap<>(Comparator.comparing(KvFields::leadingInteger));
        all.add(PREFIX).entries().forEach((id, byTime) -> byTime.entries().forEach((created, known) -> {
            if (!known.has(prefix.path().toString())) {
                apart.put(id, known.first().orElse(""));
                all.add(DSET).add(id).remove(created);
                if (here.add(id).has(created)) {
                    here.remove(id);
                    others.put(id, index.add(id));
                }
            }
        }));
        lastOfOthers =
                apart.keySet().stream().mapToInt(KvFields::leadingInteger).max().orElse(0);
        if (!apart.isEmpty() && world.rank() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "datasets " + String.join(", ", apart.keySet()) + " of the cache belong to the prefix directory "
                            + Printable.text(String.join(", ", new TreeSet<>(apart.values()))) + ", and not to "
                            + Printable.text(prefix.path().toString()) + ": they stay there, and this job does without"
                            + " them. Another SCR_JOB_ID keeps two programs apart, and SCR_CACHE_PURGE=1 deletes them."
                            + " If the prefix directory was moved, start with a symbolic link at its former path");
        }
    }

    private static String created(DatasetDescriptor descriptor) {
        return Long.toString(descriptor.created().orElse(0));
    }

    /** Reads which files this rank has in a dataset, with the attributes of each. */
    public KvTree readMap(DatasetDescriptor descriptor) throws IOException {
        KvTree files = new KvTree();
        Agreement.run(
                world,
                "reading the map of cached files",
                () -> files.merge(open(descriptor.id().orElseThrow()).readMap()));
        return files;
    }

    /** Returns the path of a file of this rank's filemap. */
    public Path locate(DatasetDescriptor descriptor, String name) throws IOException {
        CacheDirectory directory = open(descriptor.id().orElseThrow()).directory();
        return RankDirectory.of(directory, world.rank()).locate(name);
    }

    /** Returns a checkpoint in the form that a restart reads. */
    public RestartCandidate candidate(DatasetDescriptor descriptor) throws IOException {
        KvTree map = readMap(descriptor);
        Map<Path, Path> files = new HashMap<>();
        Agreement.run(world, "reading the map of cached files", () -> {
            for (Map.Entry<String, KvTree> file : map.entries().entrySet()) {
                Path place = CachedFile.of(file.getValue()).place(prefix);
                files.put(prefix.path().relativize(place), locate(descriptor, file.getKey()));
            }
        });
        return new RestartCandidate(
                descriptor.id().orElseThrow(), descriptor.name().orElse(""), true, files);
    }

    /** Returns the datasets that must leave when another one begins. */
    public List<Integer> evicted() throws DrumlinException {
        int stay = Math.max(1, settings.integer("SCR_CACHE_SIZE")) - 1;
        return datasets.keySet().stream()
                .limit(Math.max(0, datasets.size() - stay))
                .toList();
    }

    /** Makes room and creates a directory for a dataset. */
    public void begin(DatasetDescriptor descriptor) throws IOException {
        for (int oldest : evicted()) {
            delete(oldest);
        }
        int id = descriptor.id().orElseThrow();
        deleteFiles(id);
        Agreement.run(
                world, "making the directory of a dataset", () -> Files.createDirectories(path(id).resolve(".scr")));
        datasets.put(id, descriptor);
        writeIndex();
    }

    /**
     * Checks that files can be protected as the parameters ask. A rank without partners in other nodes cannot be
     * protected.
     */
    public void checkSets() throws IOException {
        for (CheckpointDescriptor each : settings.descriptors()) {
            if (!each.bypass() && each.type() != CopyType.SINGLE) {
                long[] alone = {0};
                try (RedundancySet set = set(each)) {
                    alone[0] = set.type() == CopyType.SINGLE ? 1 : 0;
                }
                world.allreduce(alone, Communicator.Op.SUM);
                if (alone[0] > 0 && world.rank() == 0) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "files of " + alone[0] + " of " + world.size() + " ranks are not protected by "
                                    + each.type()
                                    + " against the loss of their node: no rank of another node is at the same place");
                }
            }
        }
    }

    private RedundancySet set(CheckpointDescriptor how) throws IOException {
        return layout.set(how.type(), how.failures(), how.setSize());
    }

    /**
     * Moves the files that each rank has written to their places. Only now the names of all files in the node are
     * known.
     */
    public void settle(DatasetDescriptor descriptor, FileNameTable files) throws IOException {
        int id = descriptor.id().orElseThrow();
        KvTree owners = layout.allgather(files.owned());
        Agreement.run(world, "moving files to their places in the cache", () -> files.settle(owners, path(id)));
        Agreement.run(world, "deleting the directories of files that were moved", () -> {
            if (layout.isLeader()) {
                deleteEmpty(written(id));
            }
        });
        warnOfNested(files.nested(path(id)), id);
    }

    private void warnOfNested(List<Path> nested, int id) throws IOException {
        long[] count = {nested.size()};
        world.allreduce(count, Communicator.Op.SUM);
        if (count[0] > 0 && !warnedOfNested) {
            warnedOfNested = true;
            long[] first = {nested.isEmpty() ? world.size() : world.rank()};
            world.allreduce(first, Communicator.Op.MIN);
            if (first[0] == world.rank()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        count[0] + " files of dataset " + id + " of the cache are in directories, such as "
                                + Printable.text(nested.get(0).toString())
                                + ", because files of a node have the same last name: if a node is lost, Drumlin makes"
                                + " them again, but SCR cannot. Other datasets may be like this one. Give the files of"
                                + " a node different last names if SCR is to restart from the caches");
            }
        }
    }

    /** Records and protects the files that each rank has written. */
    public void complete(DatasetDescriptor descriptor, KvTree files) throws IOException {
        int id = descriptor.id().orElseThrow();
        datasets.put(id, descriptor);
        try (RedundancySet set = set(settings.descriptor(descriptor))) {
            open(id).protect(set, files, layout);
        } catch (MeetingException e) {
            // On the other ranks it may be complete.
            throw e;
        } catch (IOException e) {
            // A dataset that is complete but unprotected would be preferred to the ones before it.
            try {
                delete(id);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        writeIndex();
        flushFile.change(states -> states.cached(descriptor));
    }

    public void delete(int id) throws IOException {
        DatasetDescriptor leaving = datasets.get(id);
        if (leaving != null) {
            // The index calls it incomplete first, so that no remains of it count, and the next start deletes them.
            datasets.put(
                    id,
                    DatasetDescriptor.started(
                            id,
                            leaving.name().orElse(""),
                            false,
                            false,
                            leaving.created().orElse(0)));
        }
        try {
            writeIndex();
            flushFile.change(states -> states.remove(id));
            deleteFiles(id);
        } finally {
            datasets.remove(id);
        }
        writeIndex();
    }

    private void deleteFiles(int id) throws IOException {
        Agreement.run(world, "deleting dataset " + id + " from the cache", () -> {
            if (layout.isLeader()) {
                deleteTree(path(id));
            }
        });
    }

    private void deleteTree(Path root) throws IOException {
        if (PathStatus.exists(root)) {
            try (Stream<Path> paths = Files.walk(root)) {
                for (Path path : paths.sorted(Collections.reverseOrder()).toList()) {
                    store.storage().delete(path);
                }
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }

    /** Deletes directories, except those that have files of which the program has not told. */
    private void deleteEmpty(Path root) throws IOException {
        if (PathStatus.isDirectory(root)) {
            for (Path each : PathStatus.entries(root)) {
                deleteEmpty(each);
            }
            if (PathStatus.entries(root).isEmpty()) {
                store.storage().delete(root);
            }
        }
    }

    private void writeIndex() throws IOException {
        Agreement.run(world, "writing the index of the cache", () -> {
            if (layout.isLeader()) {
                KvTree tree = new KvTree();
                if (!current.isEmpty()) {
                    tree.set(CURRENT, current);
                }
                if (!others.isEmpty()) {
                    tree.put(DSET, others.copy());
                }
                datasets.forEach((id, descriptor) -> {
                    KvTree dataset = tree.addPath(DSET, Integer.toString(id));
                    dataset.put("DSETDESC", descriptor.tree().copy());
                    dataset.set("BYPASS", 0);
                    dataset.set("PATH", path(id).toString());
                    dataset.set(PREFIX, prefix.path().toString());
                });
                store.makeDirectory(control);
                store.replace(index(), tree);
            }
        });
    }
}
