package io.drumlin.scr;

import io.drumlin.format.kvtree.KvTree;
import java.util.List;
import java.util.Optional;

/**
 * What the index says about a dataset (docs/formats/scr.md, section 3).
 *
 * @param id number of the dataset
 * @param name its name; in the oldest form its directory
 * @param format of the index
 * @param tree the record itself
 */
public record IndexRecord(int id, String name, IndexFormat format, KvTree tree) {

    /**
     * Whether the prefix directory holds all of it.
     *
     * @return what was noted when it was flushed
     */
    public boolean isComplete() {
        return KvFields.integer(tree, "COMPLETE").orElse(0) == 1;
    }

    /**
     * Whether a restart from it failed. One that did is not tried again on its own account.
     *
     * @return true if a failure is noted
     */
    public boolean isFailed() {
        return tree.has("FAILED");
    }

    /**
     * When a restart from it failed last.
     *
     * @return local time without a zone; empty if none failed, or several are noted
     */
    public Optional<String> failed() {
        return tree.value("FAILED");
    }

    /**
     * When it was copied to the prefix directory.
     *
     * @return local time without a zone
     */
    public Optional<String> flushed() {
        return tree.value("FLUSHED");
    }

    /**
     * When restarts from it began.
     *
     * @return local times without a zone
     */
    public List<String> fetched() {
        KvTree times = tree.get("FETCHED");
        return times == null ? List.of() : List.copyOf(times.keys());
    }

    /**
     * Whether a program can restart from it.
     *
     * @return always true in the oldest form, which knows nothing else
     */
    public boolean isCheckpoint() {
        return !format.hasFlags() || descriptor().isCheckpoint();
    }

    /**
     * Whether a restart may choose it by its own, that is without being CURRENT.
     *
     * @return a complete checkpoint that has not failed
     */
    public boolean isRestartable() {
        return isComplete() && !isFailed() && isCheckpoint();
    }

    /**
     * What SCR lists under VALID.
     *
     * @return complete, and no single failure noted
     */
    public boolean isValid() {
        return isComplete() && failed().isEmpty();
    }

    /**
     * What the dataset is.
     *
     * @return empty fields if the record has no descriptor
     */
    public DatasetDescriptor descriptor() {
        KvTree descriptor = tree.get("DSET");
        return DatasetDescriptor.of(descriptor == null ? new KvTree() : descriptor);
    }
}
