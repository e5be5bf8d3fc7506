package io.drumlin.scr.internal.index;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Describes a dataset: the subtree {@code DSET} of index records, summaries and flush files (docs/formats/scr.md,
 * section 4). Unknown fields are preserved. Not thread-safe.
 */
public final class DatasetDescriptor {

    private final KvTree tree;

    private DatasetDescriptor(KvTree tree) {
        this.tree = tree;
    }

    /**
     * Wraps a descriptor that was read.
     *
     * @param tree used, not copied
     * @return the descriptor
     */
    public static DatasetDescriptor of(KvTree tree) {
        return new DatasetDescriptor(tree);
    }

    /**
     * Begins the descriptor of a dataset about to be written.
     *
     * @param id number of the dataset
     * @param name unique in the prefix directory
     * @param checkpoint whether a program can restart from it
     * @param output whether it must reach the prefix directory
     * @param createdMicros microseconds since 1970 UTC
     * @return a descriptor to be completed
     */
    public static DatasetDescriptor started(
            int id, String name, boolean checkpoint, boolean output, long createdMicros) {
        KvTree tree = new KvTree();
        tree.set("ID", id);
        tree.set("NAME", name);
        tree.set("FLAG_CKPT", checkpoint ? 1 : 0);
        tree.set("FLAG_OUTPUT", output ? 1 : 0);
        tree.set("CREATED", createdMicros);
        return new DatasetDescriptor(tree);
    }

    /**
     * Sets a field that says who wrote the dataset.
     *
     * @param key {@code USER}, {@code JOBNAME}, {@code JOBID} or {@code CLUSTER}
     * @param value left out when empty
     * @return this
     */
    public DatasetDescriptor with(String key, String value) {
        if (!value.isEmpty()) {
            tree.set(key, value);
        }
        return this;
    }

    /**
     * Sets the number of the checkpoint, which counts checkpoints only.
     *
     * @param number 1 for the first
     * @return this
     */
    public DatasetDescriptor withCheckpoint(int number) {
        tree.set("CKPT", number);
        return this;
    }

    /**
     * Completes the descriptor.
     *
     * @param files number of files of all ranks
     * @param bytes size of all files together
     * @param valid whether every rank reports that its files are good
     * @return this
     */
    public DatasetDescriptor completed(long files, long bytes, boolean valid) {
        tree.set("FILES", files);
        tree.set("SIZE", bytes);
        tree.set("COMPLETE", valid ? 1 : 0);
        return this;
    }

    /**
     * Returns the number of the dataset.
     *
     * @return empty if the field is missing
     */
    public OptionalInt id() {
        return KvFields.integer(tree, "ID");
    }

    /**
     * Returns the name of the dataset.
     *
     * @return empty if it has none, or several
     */
    public Optional<String> name() {
        return tree.value("NAME");
    }

    /**
     * Returns whether a program can restart from the dataset.
     *
     * @return the flag; descriptors of SCR 1.1 have none
     */
    public boolean isCheckpoint() {
        return KvFields.integer(tree, "FLAG_CKPT").orElse(0) != 0;
    }

    /**
     * Returns whether the dataset must reach the prefix directory.
     *
     * @return the flag
     */
    public boolean isOutput() {
        return KvFields.integer(tree, "FLAG_OUTPUT").orElse(0) != 0;
    }

    /** Returns whether every rank has reported that its files are good. */
    public boolean isComplete() {
        return KvFields.integer(tree, "COMPLETE").orElse(0) == 1;
    }

    /**
     * Returns the number of the checkpoint.
     *
     * @return empty if the dataset is not a checkpoint
     */
    public OptionalInt checkpoint() {
        return KvFields.integer(tree, "CKPT");
    }

    /**
     * Returns the number of files of all ranks.
     *
     * @return empty before the descriptor is completed
     */
    public OptionalLong files() {
        return KvFields.number(tree, "FILES");
    }

    /**
     * Returns the size of all files together, in bytes.
     *
     * @return empty before the descriptor is completed
     */
    public OptionalLong size() {
        return KvFields.number(tree, "SIZE");
    }

    /**
     * Returns the time at which the dataset was begun.
     *
     * @return microseconds since 1970 UTC
     */
    public OptionalLong created() {
        return KvFields.number(tree, "CREATED");
    }

    /** Returns whether both describe one dataset. An id alone may have been used again. */
    public boolean isOfSame(DatasetDescriptor other) {
        return created().isPresent()
                && created().equals(other.created())
                && id().equals(other.id())
                && name().equals(other.name());
    }

    /**
     * Returns the fields as they are stored.
     *
     * @return the tree itself
     */
    public KvTree tree() {
        return tree;
    }
}
