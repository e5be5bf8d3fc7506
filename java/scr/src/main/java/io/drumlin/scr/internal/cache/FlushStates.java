package io.drumlin.scr.internal.cache;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.store.KvFields;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The locations of each cached dataset: the content of {@code flush.scr} (docs/formats/scr.md, section 8). Not
 * thread-safe.
 */
public final class FlushStates {

    private static final String DATASET = "DATASET";
    private static final String LOCATION = "LOCATION";
    private static final String CACHE = "CACHE";
    private static final String PFS = "PFS";
    private static final String FLUSHING = "FLUSHING";
    private static final String SYNC_FLUSHING = "SYNC_FLUSHING";

    private final KvTree tree;

    /**
     * Wraps the content of the file.
     *
     * @param tree used and changed, not copied
     */
    public FlushStates(KvTree tree) {
        this.tree = tree;
    }

    /**
     * Returns the content as it is stored.
     *
     * @return the tree itself
     */
    public KvTree tree() {
        return tree;
    }

    /**
     * Records that a dataset is in the cache.
     *
     * @param descriptor the descriptor of the dataset, which has an id and a name; copied
     */
    public void cached(DatasetDescriptor descriptor) {
        KvTree dataset = tree.addPath(DATASET, Integer.toString(descriptor.id().orElseThrow()));
        dataset.set("NAME", descriptor.name().orElseThrow());
        dataset.add(LOCATION).add(CACHE);
        if (descriptor.isCheckpoint()) {
            dataset.set("CKPT", 1);
        }
        if (descriptor.isOutput()) {
            dataset.set("OUTPUT", 1);
        }
        dataset.put("DSETDESC", descriptor.tree().copy());
    }

    /**
     * Records that a dataset is being copied to the prefix directory.
     *
     * @param id number of the dataset
     * @param background whether the job continues meanwhile
     */
    public void flushing(int id, boolean background) {
        location(id).ifPresent(location -> location.add(background ? FLUSHING : SYNC_FLUSHING));
    }

    /**
     * Records that a dataset is no longer being copied.
     *
     * @param id number of the dataset
     * @param whole whether the prefix directory has the whole dataset
     */
    public void flushed(int id, boolean whole) {
        location(id).ifPresent(location -> {
            location.remove(FLUSHING);
            location.remove(SYNC_FLUSHING);
            if (whole) {
                location.add(PFS);
            }
        });
    }

    /**
     * Forgets a dataset that is no longer in the cache.
     *
     * @param id number of the dataset
     */
    public void remove(int id) {
        KvTree datasets = tree.get(DATASET);
        if (datasets != null) {
            datasets.remove(Integer.toString(id));
            if (datasets.isEmpty()) {
                tree.remove(DATASET);
            }
        }
    }

    /**
     * Returns the datasets in the cache.
     *
     * @return ids, ascending
     */
    public List<Integer> ids() {
        return ids("NAME", "DIR", LOCATION).boxed().toList();
    }

    /**
     * Returns the datasets that must reach the prefix directory.
     *
     * @return ids, ascending, which is the order in which to copy them
     */
    public List<Integer> outputs() {
        return ids("OUTPUT").boxed().toList();
    }

    /**
     * Returns the checkpoints.
     *
     * @return ids, descending, which is the order in which to try them
     */
    public List<Integer> checkpoints() {
        List<Integer> ids = new ArrayList<>(ids("CKPT").boxed().toList());
        Collections.reverse(ids);
        return ids;
    }

    private IntStream ids(String... anyOf) {
        KvTree datasets = tree.get(DATASET);
        return datasets == null
                ? IntStream.empty()
                : datasets.entries().entrySet().stream()
                        .filter(entry -> List.of(anyOf).stream()
                                .anyMatch(key -> entry.getValue().has(key)))
                        .mapToInt(entry -> KvFields.leadingInteger(entry.getKey()))
                        .sorted();
    }

    /**
     * Returns the id of the newest dataset.
     *
     * @return the highest id
     */
    public OptionalInt latest() {
        return ids("NAME", "DIR", LOCATION).max();
    }

    /**
     * Returns whether a dataset is in the cache only.
     *
     * @param id number of the dataset
     * @return also false if the dataset is unknown
     */
    public boolean needsFlush(int id) {
        return location(id)
                .filter(location -> location.has(CACHE) && !location.has(PFS))
                .isPresent();
    }

    /**
     * Returns the best location of a dataset.
     *
     * @param id number of the dataset
     * @return {@code PFS}, {@code CACHE} or another word from the file; empty if it is unknown
     */
    public Optional<String> place(int id) {
        return location(id)
                .flatMap(location -> location.has(PFS)
                        ? Optional.of(PFS)
                        : location.has(CACHE) ? Optional.of(CACHE) : location.first());
    }

    /**
     * Returns the name of a dataset.
     *
     * @param id number of the dataset
     * @return empty if it is unknown
     */
    public Optional<String> name(int id) {
        return Optional.ofNullable(tree.find(DATASET, Integer.toString(id)))
                .flatMap(dataset -> dataset.value("NAME").or(() -> dataset.value("DIR")));
    }

    /**
     * Returns the descriptor of a dataset.
     *
     * @param id number of the dataset
     * @return empty if the file has none; SCR 3 writes it
     */
    public Optional<DatasetDescriptor> descriptor(int id) {
        return Optional.ofNullable(tree.find(DATASET, Integer.toString(id), "DSETDESC"))
                .map(DatasetDescriptor::of);
    }

    private Optional<KvTree> location(int id) {
        return Optional.ofNullable(tree.find(DATASET, Integer.toString(id), LOCATION));
    }
}
