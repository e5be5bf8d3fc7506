package io.drumlin.scr.internal.scavenge;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexFormat;
import io.drumlin.scr.internal.index.ListedFiles;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The operations of {@code scr_index} on the index of a prefix directory (docs/formats/scr.md, section 5). Each call
 * changes the index completely or, if it throws, not at all. Thread-safe.
 */
public final class IndexOperations {

    private final ScrPrefix prefix;
    private final StorageEngine storage;
    private final IndexFile file;

    /**
     * Makes the operations for a prefix directory.
     *
     * @param prefix the prefix directory
     * @param storage the engine that writes the files
     */
    public IndexOperations(ScrPrefix prefix, StorageEngine storage) {
        this.prefix = prefix;
        this.storage = storage;
        this.file = new IndexFile(prefix, storage);
    }

    /** A dataset found in the prefix directory. */
    public record Found(int id, Path directory) {}

    /**
     * Adds a dataset that has a summary to the index.
     *
     * @param name the name of the dataset
     * @return the place where it was found
     * @throws NoSuchDatasetException no summary has this name, or several have it
     * @throws IOException a file could not be read or written
     */
    public Found add(String name) throws IOException {
        List<Found> found = new ArrayList<>();
        List<Path> damaged = new ArrayList<>();
        for (Found each : candidates(name)) {
            DatasetMetadata metadata = metadata(each);
            try {
                if (PathStatus.exists(metadata.summary())
                        && metadata.readDescriptor().name().filter(name::equals).isPresent()) {
                    found.add(each);
                }
            } catch (DrumlinException e) {
                KvTreeStore.requireDamage(e);
                // As in scr_index, the summary of another dataset does not matter.
                damaged.add(metadata.summary());
            }
        }
        if (found.isEmpty()) {
            throw refused(
                    "adding " + name,
                    "no summary in it has this name"
                            + (damaged.isEmpty() ? "" : ", and some cannot be read: " + damaged),
                    "build its summary first");
        } else if (found.size() > 1) {
            throw refused(
                    "adding " + name,
                    "several summaries have this name: " + found,
                    "remove the directory that is wrong");
        }
        return add(found.get(0));
    }

    private Found add(Found found) throws IOException {
        DatasetMetadata metadata = metadata(found);
        DatasetDescriptor descriptor = metadata.readDescriptor();
        boolean complete = metadata.readComplete();
        file.update(index -> index.add(descriptor, complete, ScrIndex.now()));
        return new Found(descriptor.id().orElse(found.id()), found.directory());
    }

    /**
     * Adds a dataset to the index that was saved from the caches of a job that died. If its summary is missing,
     * rebuilds the files of lost nodes and writes map and summary. Otherwise works like {@link #add}.
     *
     * @param id number of the dataset
     * @return the ranks whose files were rebuilt
     * @throws NoSuchDatasetException the dataset is unknown, or not all of its files can be rebuilt
     * @throws IOException a file could not be read or written
     */
    public SortedSet<Integer> build(int id) throws IOException {
        return build(id, prefix.path());
    }

    /**
     * Adds a dataset to the index that was saved to a prefix directory which has since been moved or copied.
     *
     * @param id number of the dataset
     * @param recorded the path of the prefix directory in the job
     * @return the ranks whose files were rebuilt
     * @throws NoSuchDatasetException the dataset is unknown, or not all of its files can be rebuilt
     * @throws IOException a file could not be read or written
     */
    public SortedSet<Integer> build(int id, Path recorded) throws IOException {
        return build(id, recorded, Set.of());
    }

    /**
     * Adds a dataset to the index that was saved from the caches of a job that died.
     *
     * @param copied the ranks whose files were checked when they were saved
     */
    SortedSet<Integer> build(int id, Path recorded, Set<Integer> copied) throws IOException {
        Found found = new Found(id, prefix.metadata(id));
        DatasetMetadata metadata = metadata(found);
        // If files were missing, SCR leaves a summary that says incomplete. More files may be there now.
        SortedSet<Integer> rebuilt = PathStatus.exists(metadata.summary()) && metadata.readComplete()
                ? new TreeSet<>()
                : summarise(found, metadata, recorded, copied);
        add(found);
        return rebuilt;
    }

    private SortedSet<Integer> summarise(Found found, DatasetMetadata metadata, Path recorded, Set<Integer> copied)
            throws IOException {
        KvTreeStore store = new KvTreeStore(storage);
        Optional<DatasetDescriptor> descriptor =
                new FlushStates(store.readIfThere(prefix.flush())).descriptor(found.id());
        if (descriptor.isEmpty() && PathStatus.exists(metadata.order())) {
            descriptor = Optional.of(metadata.readOrder());
        }
        if (descriptor.isEmpty() || !PathStatus.isDirectory(found.directory())) {
            throw refused(
                    "building dataset " + found.id(),
                    "neither " + metadata.summary() + " nor " + prefix.flush() + " describes it",
                    "");
        }
        ListedFiles listed = new ListedFiles(prefix, store, descriptor.get());
        ScavengedDataset dataset = new ScavengedDataset(store, prefix, recorded, found.directory(), listed);
        SortedSet<Integer> rebuilt = dataset.rebuild();
        metadata.write(descriptor.get(), dataset.check(copied), true);
        return rebuilt;
    }

    /**
     * Forgets a dataset; its files stay.
     *
     * @param name the name of the dataset
     * @throws NoSuchDatasetException the index does not list it
     * @throws IOException the index could not be read or written
     */
    public void drop(String name) throws IOException {
        file.update(index -> require(index.remove(name), "dropping " + name, "the index does not know it"));
    }

    /**
     * Forgets all datasets with a higher id.
     *
     * @param name the name of the last dataset to keep
     * @throws NoSuchDatasetException the index does not list it
     * @throws IOException the index could not be read or written
     */
    public void dropAfter(String name) throws IOException {
        file.update(index ->
                require(index.removeAfter(name), "dropping what follows " + name, "the index does not know it"));
    }

    /**
     * Makes the next restart begin with a checkpoint.
     *
     * @param name the name of the checkpoint
     * @throws NoSuchDatasetException the index does not list it, or it is not a checkpoint
     * @throws IOException the index could not be read or written
     */
    public void current(String name) throws IOException {
        file.update(index -> require(
                index.setCurrent(name), "making " + name + " current", "the index knows no checkpoint of this name"));
    }

    private void require(boolean done, String operation, String problem) throws DrumlinException {
        if (!done) {
            throw refused(operation, problem, "look at the names in the list");
        }
    }

    private DrumlinException refused(String operation, String problem, String advice) {
        DrumlinException.Context context =
                DrumlinException.during(operation).path(file.path()).problem(problem);
        return new NoSuchDatasetException(advice.isEmpty() ? context : context.advice(advice));
    }

    private DatasetMetadata metadata(Found found) {
        return DatasetMetadata.at(prefix, found.directory(), storage);
    }

    /** Returns the metadata directories that may hold a dataset of this name. */
    private List<Found> candidates(String name) throws IOException {
        if (PathStatus.exists(file.path()) && file.read().format() == IndexFormat.DIR) {
            // In SCR 1.1 the name is that of the directory that holds the metadata.
            return List.of(new Found(0, prefix.locate(name).resolve(".scr")));
        }
        return prefix.metadataDirectories().entrySet().stream()
                .map(each -> new Found(each.getValue(), each.getKey()))
                .toList();
    }
}
