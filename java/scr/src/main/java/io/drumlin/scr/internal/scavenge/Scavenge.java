package io.drumlin.scr.internal.scavenge;

import io.drumlin.DrumlinException;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Saves the datasets of a job that has ended from the caches of its nodes (docs/formats/scr.md, section 12).
 * {@link CacheCopy} copies what a node has; this class decides which datasets are needed, and completes them. No job may
 * run in the prefix directory meanwhile. Not thread-safe.
 */
public final class Scavenge {

    private static final System.Logger LOG = System.getLogger(Scavenge.class.getName());

    private final ScrPrefix prefix;
    private final KvTreeStore store;

    /**
     * Names a prefix directory.
     *
     * @param prefix the prefix directory of the job
     * @param storage the engine that writes the files
     */
    public Scavenge(ScrPrefix prefix, StorageEngine storage) {
        this.prefix = prefix;
        this.store = new KvTreeStore(storage);
    }

    /** Saves one dataset, usually by {@link #begin}, copies on all nodes, and {@link #finish}. */
    @FunctionalInterface
    public interface Step {

        /**
         * Saves a dataset.
         *
         * @param id number of the dataset
         * @param name its name
         * @return whether the prefix directory has the whole dataset now
         * @throws IOException nothing further is tried
         */
        boolean save(int id, String name) throws IOException;
    }

    /**
     * Returns the datasets that {@link #run} begins with, if all goes well: output that is in the caches only, and the
     * newest checkpoint if it is.
     *
     * @return ids; none if there is nothing to do
     * @throws IOException the flush file cannot be read
     */
    public SortedSet<Integer> waiting() throws IOException {
        FlushStates states = states();
        NavigableSet<Integer> waiting = new TreeSet<>();
        states.outputs().stream().filter(states::needsFlush).forEach(waiting::add);
        states.checkpoints().stream().limit(1).filter(states::needsFlush).forEach(waiting::add);
        return waiting;
    }

    /**
     * Returns the newest dataset that the flush file lists. This may be called while a job runs.
     *
     * @return its number; empty if there is none
     * @throws IOException the flush file cannot be read
     */
    public OptionalInt latest() throws IOException {
        return states().latest();
    }

    /**
     * Saves what the next job needs, in the order of SCR: all output, the oldest first, and then the newest checkpoint.
     * If output cannot be saved, the program must write it again, so only checkpoints before it count. If a checkpoint
     * cannot be saved, the next older one is tried. The checkpoint that is saved becomes CURRENT.
     *
     * @param step saves a dataset
     * @return whether all was saved that was tried
     * @throws IOException a file could not be read or written
     */
    public boolean run(Step step) throws IOException {
        FlushStates states = states();
        Set<Integer> saved = new HashSet<>();
        int lost = Integer.MAX_VALUE;
        for (int id : states.outputs()) {
            if (states.needsFlush(id)) {
                if (!step.save(id, name(states, id))) {
                    lost = id;
                    break;
                }
                saved.add(id);
            }
        }
        boolean all = lost == Integer.MAX_VALUE;
        for (int id : states.checkpoints()) {
            if (id < lost) {
                if (!states.needsFlush(id)) {
                    return all;
                }
                if (saved.contains(id) || step.save(id, name(states, id))) {
                    new IndexOperations(prefix, store.storage()).current(name(states, id));
                    return all;
                }
                all = false;
            }
        }
        return all;
    }

    private static String name(FlushStates states, int id) {
        return states.name(id).orElse("");
    }

    private DatasetMetadata metadata(int id) {
        return DatasetMetadata.of(prefix, id, store.storage());
    }

    private FlushStates states() throws IOException {
        return new FlushStates(store.readIfThere(prefix.flush()));
    }

    /**
     * Prepares the directory to which the nodes copy.
     *
     * @param id number of the dataset
     * @return false if the prefix directory has the whole dataset already; then only {@link #finish} is needed
     * @throws IOException the directory cannot be prepared, or has files of which nobody knows that they belong to this
     *     dataset
     */
    public boolean begin(int id) throws IOException {
        DatasetDescriptor descriptor = states().descriptor(id)
                .orElseThrow(
                        () -> refused(id, prefix.flush(), "it has no DSETDESC of this dataset", "SCR 3 writes it"));
        DatasetMetadata metadata = metadata(id);
        if (PathStatus.exists(metadata.summary())) {
            requireSame(id, metadata.summary(), metadata.readDescriptor(), descriptor);
            if (metadata.readComplete()) {
                metadata.check();
                return false;
            }
        }
        requireFreeId(id, descriptor);
        requireKnownFiles(id, descriptor);
        metadata.writeOrder(descriptor, 0);
        return true;
    }

    /**
     * Lists the datasets that a job copied in the background and did not list any more. A checkpoint becomes CURRENT as
     * it would have, unless CURRENT was set to an older one than the newest.
     */
    public void listCopied() throws IOException {
        for (int id : new TreeSet<>(prefix.metadataDirectories().values())) {
            Set<Integer> copied = metadata(id).ranksCopied();
            if (!copied.isEmpty()) {
                list(id, copied);
            }
        }
    }

    private void list(int id, Set<Integer> copied) throws IOException {
        String name = metadata(id).readOrder().name().orElse("");
        try {
            finish(id, copied);
            new IndexFile(prefix, store.storage()).update(index -> {
                Optional<String> before =
                        index.newestRestartable(record -> record.id() < id).map(IndexRecord::name);
                if (index.current().equals(before)) {
                    index.setCurrent(name);
                }
            });
            LOG.log(
                    System.Logger.Level.WARNING,
                    "dataset " + Printable.text(name) + " was in the prefix directory when its job died, and is listed"
                            + " now");
        } catch (IOException e) {
            KvTreeStore.requireDamage(e);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "dataset " + Printable.text(name)
                            + " was copied to the prefix directory by a job that died, but cannot be listed: "
                            + e.getMessage());
        }
    }

    private void requireFreeId(int id, DatasetDescriptor descriptor) throws IOException {
        IndexFile file = new IndexFile(prefix, store.storage());
        if (PathStatus.exists(file.path())) {
            for (IndexRecord record : file.read().records()) {
                if (record.id() == id && record.isComplete()) {
                    requireSame(id, file.path(), record.descriptor(), descriptor);
                }
            }
        }
    }

    private void requireKnownFiles(int id, DatasetDescriptor descriptor) throws IOException {
        Path order = metadata(id).order();
        if (PathStatus.exists(order)) {
            requireSame(id, order, metadata(id).readOrder(), descriptor);
            return;
        }
        for (Path path : PathStatus.entries(prefix.metadata(id))) {
            String name = path.getFileName().toString();
            if (name.startsWith("filemap_") || name.endsWith(".redset")) {
                throw refused(
                        id,
                        path,
                        "nothing tells of which dataset it is",
                        "if it is of this one, drumlin index build " + id
                                + " takes what is there; otherwise move the directory away");
            }
        }
    }

    private void requireSame(int id, Path path, DatasetDescriptor found, DatasetDescriptor wanted)
            throws DrumlinException {
        if (!found.isOfSame(wanted)) {
            throw refused(
                    id,
                    path,
                    "it has another dataset of this id, " + found.name().orElse("without a name") + ", and "
                            + wanted.name().orElse("one without a name") + " is in the caches",
                    "nothing was changed; if nobody needs that one, take it out of the index, move "
                            + prefix.metadata(id) + " away, and scavenge again while the nodes have their caches");
        }
    }

    private static DrumlinException refused(int id, Path path, String problem, String advice) {
        return DrumlinException.during("saving dataset " + id + " from caches")
                .path(path)
                .problem(problem)
                .advice(advice)
                .exception();
    }

    /** Refuses a dataset of which no node had anything, in better words than those of a missing number of ranks. */
    private void requireSaved(int id) throws IOException {
        Path directory = prefix.metadata(id);
        boolean saved = PathStatus.entries(directory).stream()
                .map(path -> path.getFileName().toString())
                .anyMatch(name -> name.equals("summary.scr") || name.startsWith("filemap_"));
        if (!saved) {
            throw new NoSuchDatasetException(DrumlinException.during("saving dataset " + id + " from caches")
                    .path(directory)
                    .problem("no node has copied anything of it")
                    .advice("scavenge again when nodes that have it are up, or take an older dataset"));
        }
    }

    /**
     * Completes a dataset after the nodes have copied: rebuilds the files of lost nodes, writes map, summary and index
     * record, and records in the flush file that the prefix directory has the dataset.
     *
     * @param id number of the dataset
     * @param copied the ranks whose files were copied by {@link CacheCopy} since {@link #begin}
     * @return the ranks whose files were rebuilt
     * @throws NoSuchDatasetException not all of its files can be rebuilt; nothing is listed, and it can be tried again
     *     when more nodes are up
     * @throws IOException a file could not be read or written
     */
    public SortedSet<Integer> finish(int id, Set<Integer> copied) throws IOException {
        requireSaved(id);
        SortedSet<Integer> rebuilt =
                new IndexOperations(prefix, store.storage()).build(id, prefix.path(), Set.copyOf(copied));
        FlushStates states = states();
        states.flushed(id, true);
        store.replace(prefix.flush(), states.tree());
        store.storage().delete(metadata(id).order());
        return rebuilt;
    }
}
