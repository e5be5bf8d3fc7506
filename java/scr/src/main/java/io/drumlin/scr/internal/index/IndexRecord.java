package io.drumlin.scr.internal.index;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import java.util.List;
import java.util.Optional;

/**
 * The record of a dataset in the index (docs/formats/scr.md, section 3).
 *
 * @param id number of the dataset
 * @param name its name; in the oldest form its directory
 * @param format the format of the index
 * @param tree the record itself
 */
public record IndexRecord(int id, String name, IndexFormat format, KvTree tree) {

    /**
     * Returns whether the prefix directory holds the whole dataset.
     *
     * @return the state recorded when it was flushed
     */
    public boolean isComplete() {
        return KvFields.integer(tree, "COMPLETE").orElse(0) == 1;
    }

    /**
     * Returns whether a restart from the dataset has failed. If so, a restart does not choose it by itself again.
     *
     * @return true if a failure is recorded
     */
    public boolean isFailed() {
        return tree.has("FAILED");
    }

    /**
     * Returns the time at which a restart from the dataset last failed.
     *
     * @return local time without a zone; empty if none has failed, or several failures are recorded
     */
    public Optional<String> failed() {
        return tree.value("FAILED");
    }

    /**
     * Returns the time at which the dataset was copied to the prefix directory.
     *
     * @return local time without a zone
     */
    public Optional<String> flushed() {
        return tree.value("FLUSHED");
    }

    /**
     * Returns the times at which restarts from the dataset began.
     *
     * @return local times without a zone
     */
    public List<String> fetched() {
        KvTree times = tree.get("FETCHED");
        return times == null ? List.of() : List.copyOf(times.keys());
    }

    /**
     * Returns whether a program can restart from the dataset.
     *
     * @return always true in the oldest form, which holds checkpoints only
     */
    public boolean isCheckpoint() {
        return !format.hasFlags() || descriptor().isCheckpoint();
    }

    /**
     * Returns whether a restart may choose the dataset by itself, that is, without its being CURRENT.
     *
     * @return true for a complete checkpoint that has not failed
     */
    public boolean isRestartable() {
        return isComplete() && !isFailed() && isCheckpoint();
    }

    /**
     * Returns the value that SCR lists under VALID.
     *
     * @return true if it is complete and not exactly one failure is recorded
     */
    public boolean isValid() {
        return isComplete() && failed().isEmpty();
    }

    /**
     * Returns the descriptor of the dataset.
     *
     * @return empty fields if the record has no descriptor
     */
    public DatasetDescriptor descriptor() {
        KvTree descriptor = tree.get("DSET");
        return DatasetDescriptor.of(descriptor == null ? new KvTree() : descriptor);
    }
}
